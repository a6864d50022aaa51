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


EQUIVALENT = (
    Equivalent(
        "0a8cb9c3",
        "src/blade/stats/ledger/table.py",
        "sure = min(abs(ends[0]), abs(ends[1])) >= LEAST and ends[0] * ends[1] > 0.0",
        "both ends are at least LEAST away from 0, so their product never is 0",
    ),
)
