"""How sure we are: pure functions of numbers.

Nothing here reads a file, knows what a run is or keeps state. Counts, sums and per-task means go in; rates, standard
errors, intervals and sample sizes come out. What the data cannot identify is None, never a number made up, and no
result depends on the order of the tasks.
"""
