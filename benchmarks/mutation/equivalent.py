"""Drawn mutants that no test can kill, each with the reason why: they are left out of the score and counted beside it.

The line is kept with the key, so that an entry whose line has gone is noticed (`tests/test_mutants.py`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The key of a mutant, its file and its line as it stands, and why the change means nothing."""

    key: str
    file: str
    line: str
    reason: str


EQUIVALENT: tuple[Equivalent, ...] = ()
