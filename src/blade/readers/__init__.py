"""How it gets in: one file per artifact. Each says by content whether a file is its own (`recognises`)."""
