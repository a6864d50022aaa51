"""Marks that rows carry, thousands of them: which go with passing or with failing, the strata of the rows kept apart.

A row may not know all of its marks: it knows those below its limit. Where it does not know a mark, it is no row of that
mark's tables. A quick test over all marks at once leaves a few for the exact one; all that were looked at count when
the p-values are adjusted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blade.stats.multiple import benjamini_hochberg
from blade.stats.strata import Table, exact_p, risk_difference

Integers = npt.NDArray[np.int64]
FEWEST_ROWS = 8
FEWEST_TASKS = 3
LEAST_EFFECT = 0.15
LARGEST_BLOCK = 1_000_000
"""So many counts are held at a time."""
QUICK = 7.0
"""Chi squared below which the exact p is surely above any level that so many marks allow."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows: each with its marks, sorted, the limit below which it knows them all, its stratum, task and outcome."""

    marks: Sequence[npt.NDArray[np.uint32]]
    limits: Sequence[int]
    strata: Sequence[Hashable]
    tasks: Sequence[Hashable]
    passed: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Separating:
    mark: int
    rows: tuple[int, ...]
    effect: float
    """How much more often rows with it pass, by Mantel and Haenszel."""
    p: float
    q: float


def separating_marks(rows: Sequence[Rows], level: float) -> list[list[Separating]]:
    """Of several kinds of marks those that separate passes from failures, by p; adjusted over all kinds together."""
    tested = [_tested(kind) for kind in rows]
    looked_at = sum(mark_count for _, mark_count in tested)
    p = [separating.p for group_marks, _ in tested for separating in group_marks]
    adjusted = iter(benjamini_hochberg([*p, *([1.0] * (looked_at - len(p)))]))
    by_group = []
    for group_marks, _ in tested:
        adjusted_marks = [
            Separating(separating.mark, separating.rows, separating.effect, separating.p, q)
            for separating, q in zip(group_marks, adjusted, strict=False)
        ]
        by_group.append(
            sorted(
                (separating for separating in adjusted_marks if separating.q <= level),
                key=lambda separating: (separating.p, separating.mark),
            )
        )
    return by_group


def _tested(rows: Rows) -> tuple[list[Separating], int]:
    """The marks that passed the quick test, with their exact p; and how many were looked at."""
    marks, owners = _pairs(rows)
    if not len(marks):
        return [], 0
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]])
    ends = np.r_[starts[1:], len(marks)]
    often = (ends - starts >= FEWEST_ROWS) & (ends - starts <= len(rows.limits) - FEWEST_ROWS)
    often[often] = _task_counts(_codes(rows.tasks)[owners], starts[often], ends[often]) >= FEWEST_TASKS
    starts, ends = starts[often], ends[often]
    count, separating = _Count(rows), []
    for block in _blocks(len(starts), count.cells):
        holders = [owners[start:end] for start, end in zip(starts[block].tolist(), ends[block].tolist(), strict=True)]
        tables = count.tables(marks[starts[block]], holders)
        for place in np.flatnonzero(_chi_squared(tables) >= QUICK).tolist():
            strata_tables: list[Table] = [(a, b, c, d) for a, b, c, d in tables[place].tolist()]
            p, effect = exact_p(strata_tables), risk_difference(strata_tables)
            if p is not None and effect is not None and abs(effect) >= LEAST_EFFECT:
                mark = int(marks[starts[block.start + place]])
                separating.append(Separating(mark, tuple(holders[place].tolist()), effect, p, 1.0))
    return separating, len(starts)


def _blocks(many: int, cells: int) -> Iterator[slice]:
    """So many marks at a time as take little room."""
    step = max(1, LARGEST_BLOCK // cells)
    return (slice(start, min(start + step, many)) for start in range(0, many, step))


def _task_counts(tasks: Integers, starts: Integers, ends: Integers) -> Integers:
    """The number of different tasks between each start and its end."""
    return np.array([len(set(tasks[start:end].tolist())) for start, end in zip(starts, ends, strict=True)], np.int64)


def _pairs(rows: Rows) -> tuple[Integers, Integers]:
    """Every mark with every row that carries it, by mark."""
    if not any(len(row_marks) for row_marks in rows.marks):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    marks = np.concatenate([np.asarray(row_marks, dtype=np.int64) for row_marks in rows.marks])
    owners = np.repeat(np.arange(len(rows.marks)), [len(row_marks) for row_marks in rows.marks])
    order = np.argsort(marks, kind="stable")
    return marks[order], owners[order]


def _codes(values: Sequence[Hashable]) -> Integers:
    code_of: dict[Hashable, int] = {}
    return np.array([code_of.setdefault(value, len(code_of)) for value in values], dtype=np.int64)


class _Count:
    """Counts passes and fails by stratum, with each of many marks and without it."""

    def __init__(self, rows: Rows) -> None:
        strata = _codes(rows.strata)
        self.cells = 2 * (int(strata.max()) + 1)
        self._cell = strata * 2 + ~np.array(rows.passed, dtype=bool)
        limits = np.array(rows.limits, dtype=np.int64)
        order = np.argsort(limits, kind="stable")
        self._limits, self._by_limit = limits[order], self._cell[order]

    def tables(self, marks: Integers, holders: Sequence[Integers]) -> Integers:
        """Per mark and stratum: passes and fails with it, passes and fails without it.

        The marks are in order; a row of which marks so large are not kept counts neither way.
        """
        left_out = np.searchsorted(self._limits, marks, side="right")
        first = np.bincount(self._by_limit[left_out[0] :], minlength=self.cells)
        many = np.diff(left_out, prepend=left_out[0])
        gone = self._sums(
            np.repeat(np.arange(len(marks)), many), self._by_limit[left_out[0] : left_out[-1]], len(marks)
        )
        sizes = [len(one) for one in holders]
        with_it = self._sums(np.repeat(np.arange(len(marks)), sizes), self._cell[np.concatenate(holders)], len(marks))
        everyone = first - np.cumsum(gone, axis=0)
        pairs = len(marks), self.cells // 2, 2
        return np.concatenate([with_it.reshape(pairs), (everyone - with_it).reshape(pairs)], axis=2)

    def _sums(self, marks: Integers, cells: Integers, many: int) -> Integers:
        counts = np.bincount(marks * self.cells + cells, minlength=many * self.cells)
        return counts.reshape(many, self.cells)


def _chi_squared(tables: Integers) -> npt.NDArray[np.float64]:
    """Cochran, Mantel and Haenszel's for every mark, without correction."""
    a, b, c, d = (tables[:, :, column].astype(np.float64) for column in range(4))
    n, with_it, passes = a + b + c + d, a + b, a + c
    informative = n > 1
    many = np.where(informative, n, 2.0)
    expected = with_it * passes / many
    variance = expected * (n - with_it) * (n - passes) / (many * (many - 1))
    spread = variance.sum(axis=1, where=informative)
    distance = (a - expected).sum(axis=1, where=informative) ** 2
    statistic: npt.NDArray[np.float64] = np.divide(distance, spread, out=np.zeros(len(spread)), where=spread > 0)
    return statistic
