"""What separates two verdicts of one answer: an attempt, the first attempts, or a run that was graded otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from blade.diagnosis.answer_groups import Given
from blade.diagnosis.cases import Case
from blade.frozen import frozen
from blade.stats.strata import Table, exact_p, exact_p_either_way

ATTEMPT, FIRST, RUN = "attempt", "first", "run"
TESTS = 2
"""Tables that lean one way are tested together, and tables that lean either way."""
FEWEST_TASKS = 2

Group: TypeAlias = tuple[str, Sequence[Given]]
"""A task and its rollouts with one answer."""
Part: TypeAlias = tuple[str, int | str]
"""By what the rollouts are parted, and which attempt or run it is."""


@frozen
class VerdictSplit:
    """A part of the rollouts with the verdicts of equal answers in it and in all others, a table for each group."""

    kind: str
    value: int | str
    tables: tuple[Table, ...]
    """Passes and failures in the part, passes and failures elsewhere."""
    p: float
    """Of the exact test, corrected for all parts that were tried."""

    def stands_apart(self, place: int) -> bool:
        """Whether the verdict that is unusual elsewhere falls on this part at least as often as on all others."""
        passes, fails, other_passes, other_fails = self.tables[place]
        if other_passes == other_fails or not passes + fails:
            return False
        unusual, elsewhere = (fails, other_fails) if other_passes > other_fails else (passes, other_passes)
        return (
            unusual > 0
            and unusual >= elsewhere
            and unusual * sum(self.tables[place][2:]) > elsewhere * (passes + fails)
        )


def clearest_split(groups: Sequence[Group], level: float) -> VerdictSplit | None:
    """The part that best separates passes from failures of equal answers; None where none does beyond chance."""
    parts = list(_parts([entry.case for _, group in groups for entry in group]))
    splits = []
    for part in parts:
        tables = tuple(_table(group, part) for _, group in groups)
        p = min((p for p in (exact_p(tables), exact_p_either_way(tables)) if p is not None), default=1.0)
        splits.append(VerdictSplit(*part, tables, min(1.0, p * len(parts) * TESTS)))
    split = min(splits, key=lambda split: split.p, default=None)
    if split is None or split.p >= level:
        return None
    tasks = {task for place, (task, _) in enumerate(groups) if split.stands_apart(place)}
    return split if len(tasks) >= FEWEST_TASKS else None


def _parts(cases: Sequence[Case]) -> Iterator[Part]:
    """Every attempt over all runs, the first two attempts and so on, and every run of several.

    Of two attempts or runs each is what the other is not, and one is enough. What is named first wins where the numbers
    are the same.
    """
    attempts = sorted({case.attempt for case in cases})
    runs = sorted({case.run for case in cases})
    yield from ((ATTEMPT, attempt) for attempt in (attempts if len(attempts) > 2 else attempts[:-1]))
    yield from ((FIRST, attempt) for attempt in attempts[1:-2])
    yield from ((RUN, run) for run in (runs if len(runs) > 2 else runs[:-1]))


def _table(group: Sequence[Given], part: Part) -> Table:
    counts = [0, 0, 0, 0]
    for entry in group:
        counts[(not _belongs(entry.case, part)) * 2 + (not entry.case.passed)] += 1
    return counts[0], counts[1], counts[2], counts[3]


def _belongs(case: Case, part: Part) -> bool:
    kind, value = part
    if kind == RUN:
        return case.run == value
    return case.attempt == value or (kind == FIRST and case.attempt < int(value))
