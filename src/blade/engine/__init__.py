"""Where it runs: finds the files of a run, and turns them into facts with one pass over each."""
