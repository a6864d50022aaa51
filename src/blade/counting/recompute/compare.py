"""What a check returns, and how two numbers are held against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blade.counting.recompute.rows import as_number
from blade.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

TOLERANCE = 1e-9
MOST_KEPT = 1000
_ROUNDING = 1e-13
_LONGEST_QUOTE = 80


@frozen
class Disagreement:
    """One value of the file that the rows do not give."""

    key: str
    stored: float | str | None
    recomputed: float | None
    difference: float | None
    task: int | None
    agent: str | None
    likely_cause: str


@frozen
class Recomputed:
    """The outcome of one file: what agrees, what only the benchmark can compute, what disagrees and why."""

    file_kind: str
    matched: int
    groups_matched: int
    not_recomputed: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    disagreements_total: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    tolerance: float


@frozen
class Miss:
    """A disagreement before its cause is known; `hint` is what the key itself suggests."""

    key: str
    stored: object
    recomputed: float | None
    task: int | None = None
    hint: str | None = None
    certain: bool = False


@dataclass(slots=True)
class Tally:
    """Counts while one entry of a file is read."""

    tolerance: float
    agent: str | None = None
    matched: int = 0
    groups_matched: int = 0
    groups_checked: int = 0
    misses: list[Miss] = field(default_factory=list)
    missed: int = 0
    tasks_off: set[int] = field(default_factory=set)
    keys_off: set[str] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def hold(
        self, key: str, stored: object, recomputed: float | None, *, task: int | None = None, scale: float = 1.0
    ) -> None:
        """Compares the stored with the recomputed value and counts the outcome."""
        number = as_number(stored)
        if agree(number, recomputed, scale, self.tolerance) and (number is not None or stored is None):
            self.matched += 1
        else:
            self.miss(Miss(key, stored, recomputed, task))

    def miss(self, miss: Miss) -> None:
        self.missed += 1
        if len(self.misses) < MOST_KEPT:
            self.misses.append(miss)
        if miss.task is not None:
            self.tasks_off.add(miss.task)
        else:
            self.keys_off.add(miss.key)

    def leave(self, key: str) -> None:
        """Notes a key that only the benchmark knows how to compute."""
        self.unknown[key] = None


def agree(stored: float | None, recomputed: float | None, scale: float, tolerance: float) -> bool:
    """Equal within the relative tolerance, or within the rounding of numbers as large as `scale`.

    JSON has no NaN and no infinity: a null agrees with either.
    """
    if recomputed is None:
        return False
    if stored is None or not math.isfinite(stored):
        return not math.isfinite(recomputed)
    if not math.isfinite(recomputed):
        return False
    slack = tolerance * max(abs(stored), abs(recomputed))
    return abs(stored - recomputed) <= slack + (_ROUNDING * scale if math.isfinite(scale) else 0.0)


def finish(kind: str, tallies: list[Tally], causes: list[Callable[[Miss], str]], problems: list[str]) -> Recomputed:
    """Puts the entries of one file together; each has its own way to name a cause."""
    disagreements = [
        _disagreement(miss, tally.agent, cause)
        for tally, cause in zip(tallies, causes, strict=True)
        for miss in tally.misses
    ]
    unknown = dict.fromkeys(key for tally in tallies for key in tally.unknown)
    return Recomputed(
        file_kind=kind,
        matched=sum(tally.matched for tally in tallies),
        groups_matched=sum(tally.groups_matched for tally in tallies),
        not_recomputed=tuple(unknown),
        disagreements=tuple(disagreements[:MOST_KEPT]),
        disagreements_total=sum(tally.missed for tally in tallies),
        problems=tuple(problems + [problem for tally in tallies for problem in tally.problems]),
        notes=tuple(note for tally in tallies for note in tally.notes),
        tolerance=tallies[0].tolerance if tallies else TOLERANCE,
    )


def _disagreement(miss: Miss, agent: str | None, cause: Callable[[Miss], str]) -> Disagreement:
    number = as_number(miss.stored)
    stored = number if number is not None else None if miss.stored is None else repr(miss.stored)[:_LONGEST_QUOTE]
    return Disagreement(
        key=miss.key,
        stored=stored,
        recomputed=miss.recomputed,
        difference=None if number is None or miss.recomputed is None else number - miss.recomputed,
        task=miss.task,
        agent=agent,
        likely_cause=cause(miss),
    )
