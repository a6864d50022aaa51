"""What was found out about runs, in tables that are kept on disk: what viewer and queries ask."""
