"""How it is counted: who is who, what happened to each row, what a pass is, and the numbers that follow."""
