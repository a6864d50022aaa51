"""Why the score changed: what moved, whether the change is real, and every point of it accounted for."""
