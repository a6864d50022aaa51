"""A limit of turns that belongs to the task and not to the harness: the end of a game, a number of wrong guesses.

The harness stops every rollout at one number of turns, so that nobody goes further than those it stopped. Where rows
that say "turns exhausted" took different numbers of turns, and others took more than most of them, what ran out is
something that the task counts: the rollout came to its end, and lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from blade.frozen import frozen
from blade.late_regex import late_regex

FEWEST = 3
FEWEST_VALUES = 3
HEAP = 0.5
"""Where so many of the rows stand at one number of turns, that number is the limit."""
_TURNS = late_regex(r"turn|step|iteration|round", re.IGNORECASE)


@frozen
class TaskLimit:
    """Rows that a field calls out of turns, and the turns that they and the others took."""

    field: str
    rows: int
    fewest: int
    most: int
    longest_other: int


def task_limits(claims: Iterable[Iterable[tuple[str, str]]], turns: Sequence[int | None]) -> dict[str, TaskLimit]:
    """Field → its limit, where it is the task's. `claims` are, of each row, the fields and words that tell of a cut."""
    claimed = [{field for field, words in some if _TURNS.search(words)} for some in claims]
    limits = {}
    for field in sorted(set().union(*claimed)):
        pairs = [(taken, field in fields) for fields, taken in zip(claimed, turns, strict=True) if taken]
        cut = [taken for taken, out in pairs if out]
        others = [taken for taken, out in pairs if not out]
        heap = max(Counter(cut).values(), default=0)
        varied = len(set(cut)) >= FEWEST_VALUES and heap <= HEAP * len(cut)
        if len(cut) >= FEWEST and varied and others and median(cut) < max(others):
            limits[field] = TaskLimit(field, len(cut), min(cut), max(cut), max(others))
    return limits
