"""What the formats share: the row they translate into, chat messages as items, and the file that keeps the rows."""
