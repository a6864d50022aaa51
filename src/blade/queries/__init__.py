"""Questions that somebody asks of runs: tasks, words, counts, contrasts, and what to read next.

Every count has an id, made of the question and the data. Questions are kept in a small file, so that a report can cite
a count as `[q:1a2b3c4d]` and `blade check` can count again.
"""
