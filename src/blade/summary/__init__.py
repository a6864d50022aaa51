"""What is said of runs as a whole, in sentences: runs, changes, failures, lost rollouts, and what to do first."""
