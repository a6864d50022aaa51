"""How it gets out: one file per form. Each turns the same document into markup and escapes what it prints."""
