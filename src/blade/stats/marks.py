"""Marks that rows carry, thousands of them: which go with passing or with failing, the strata of the rows kept apart.

A row may not know all of its marks: it knows those below its limit. Where it does not know a mark, it is no row of that
mark's tables. A quick test over all marks at once leaves a few for the exact one; all that were looked at count when
the p-values are adjusted.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blade.stats.multiple import benjamini_hochberg
from blade.stats.strata import Table, exact_p, risk_difference

Integers = npt.NDArray[np.int64]
FEWEST_ROWS = 8
FEWEST_TASKS = 3
LEAST_EFFECT = 0.15
ABOVE_LIMITS = 1 << 33
"""No limit is as large."""
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
    count = _Count(rows)
    marks, owners = count.pairs()
    if not len(marks):
        return [], 0
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]])
    sizes = np.diff(starts, append=len(marks))
    often = (sizes >= FEWEST_ROWS) & (sizes <= len(rows.limits) - FEWEST_ROWS)
    often[often] = _task_counts(_codes(rows.tasks)[owners], starts[often], sizes[often]) >= FEWEST_TASKS
    kept = np.repeat(often, sizes)
    marks, owners, sizes = marks[kept], owners[kept], sizes[often]
    starts = np.cumsum(sizes) - sizes
    tables, edges = count.tables(marks, owners, starts)
    separating = []
    for place in np.flatnonzero(_chi_squared(tables, edges[:-1]) >= QUICK).tolist():
        of_mark: list[Table] = [(a, b, c, d) for a, b, c, d in tables[edges[place] : edges[place + 1]].tolist()]
        p, effect = exact_p(of_mark), risk_difference(of_mark)
        if p is not None and effect is not None and abs(effect) >= LEAST_EFFECT:
            first = starts[place]
            holders = sorted(owners[first : first + sizes[place]].tolist())
            separating.append(Separating(int(marks[first]), tuple(holders), effect, p, 1.0))
    return separating, len(starts)


def _task_counts(tasks: Integers, starts: Integers, sizes: Integers) -> Integers:
    """The number of different tasks in each stretch."""
    spans = zip(starts.tolist(), (starts + sizes).tolist(), strict=True)
    return np.array([len(set(tasks[start:end].tolist())) for start, end in spans], np.int64)


def _codes(values: Sequence[Hashable]) -> Integers:
    code_of: dict[Hashable, int] = {}
    return np.array([code_of.setdefault(value, len(code_of)) for value in values], dtype=np.int64)


class _Count:
    """Counts passes and fails by stratum, with each of many marks and without it.

    A stratum in which no row carries a mark says nothing of it, and most marks stand in few strata: a mark has tables
    of those strata alone.
    """

    def __init__(self, rows: Rows) -> None:
        self._strata = _codes(rows.strata)
        self._failed = (~np.array(rows.passed, dtype=bool)).astype(np.int64)
        self._marks = rows.marks
        cells = self._strata * 2 + self._failed
        self._limits = np.sort(cells * ABOVE_LIMITS + np.array(rows.limits, dtype=np.int64))
        self._ends = np.cumsum(np.bincount(cells, minlength=2 * (int(self._strata.max(initial=0)) + 1)))

    def pairs(self) -> tuple[Integers, Integers]:
        """Every mark with every row that carries it, by mark, and by stratum for each."""
        if not any(len(row_marks) for row_marks in self._marks):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        by_stratum = np.argsort(self._strata, kind="stable")
        in_order = [self._marks[row] for row in by_stratum.tolist()]
        marks = np.concatenate(in_order)
        owners = np.repeat(by_stratum, [len(row_marks) for row_marks in in_order])
        order = np.argsort(marks, kind="stable")
        return marks[order].astype(np.int64), owners[order]

    def tables(self, marks: Integers, owners: Integers, starts: Integers) -> tuple[Integers, Integers]:
        """Per mark and stratum with it: passes and fails with it, passes and fails without it; where marks begin.

        A row of which marks so large are not kept counts neither way.
        """
        strata = self._strata[owners]
        begins = np.r_[True, strata[1:] != strata[:-1]] if len(strata) else np.zeros(0, bool)
        begins[starts] = True
        firsts = np.flatnonzero(begins)
        edges = np.r_[np.searchsorted(firsts, starts), len(firsts)]
        fails = np.add.reduceat(self._failed[owners], firsts) if len(firsts) else firsts
        passes = np.diff(firsts, append=len(owners)) - fails
        everyone = [self._knowing(strata[firsts] * 2 + outcome, marks[firsts]) for outcome in (0, 1)]
        return np.stack([passes, fails, everyone[0] - passes, everyone[1] - fails], axis=1), edges

    def _knowing(self, cells: Integers, marks: Integers) -> Integers:
        """The rows of each cell that know of a mark whether they carry it."""
        return self._ends[cells] - np.searchsorted(self._limits, cells * ABOVE_LIMITS + marks, side="right")


def _chi_squared(tables: Integers, starts: Integers) -> npt.NDArray[np.float64]:
    """Cochran, Mantel and Haenszel's for every mark, without correction."""
    if not len(tables):
        return np.zeros(0)
    a, b, c, d = tables.T.astype(np.float64)
    n, with_it, passes = a + b + c + d, a + b, a + c
    several = n > 1
    many = np.where(several, n, 2.0)
    expected = with_it * passes / many
    variance = expected * (n - with_it) * (n - passes) / (many * (many - 1))
    spread = np.add.reduceat(np.where(several, variance, 0.0), starts)
    distance = np.add.reduceat(np.where(several, a - expected, 0.0), starts) ** 2
    statistic: npt.NDArray[np.float64] = np.divide(distance, spread, out=np.zeros(len(spread)), where=spread > 0)
    return statistic
