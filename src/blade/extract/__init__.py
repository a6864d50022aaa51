"""From one parsed row to the small facts kept of it. Pure functions: no files, no state, nothing of a row survives."""
