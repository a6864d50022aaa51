"""Where a file lies and how it is opened: paths and URLs, lines, a look at the beginning, moving what was written."""
