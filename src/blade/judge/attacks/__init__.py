"""Reports that must not pass, and a few that must: one file each, seeded, a pure function of a package.

Each module has BAND (lowest and highest score that is right) and `make(case)`, which returns the report or None where
it cannot be made of this package.
"""
