"""How the runs of other programs get in: one file per format, each translating its records into rollout rows.

A format has `VERSION` (raised whenever the same file gives other rows), `recognises(head)` for single files or
`recognises_folder(folder)` for whole folders, and `runs(paths)`, which gives the runs that stand in what it recognised.
"""
