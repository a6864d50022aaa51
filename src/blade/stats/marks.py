"""Marks that rows carry, thousands of them: which go with passing or with failing, the strata of the rows kept apart.

A row may not know all of its marks: it knows those below its limit. Where it does not know a mark, it is no row of that
mark's tables. A quick test over all marks at once leaves a few for the exact one; all that were looked at count when
the p-values are adjusted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.multiple import benjamini_hochberg
from blade.stats.strata import Table, exact_p, risk_difference

Integers = npt.NDArray[np.int64]
Cells = tuple[Integers, Integers, Integers, Integers]
"""Of many tables the four numbers: passes and fails with a mark, passes and fails without it."""
FEWEST_ROWS = 8
FEWEST_TASKS = 3
LEAST_EFFECT = 0.15
ABOVE_LIMITS = 1 << 33
"""No limit is as large."""
LARGEST_MARK = (1 << 32) - 1
ROW_BITS = np.uint64(32)
LARGEST_BLOCK = 100_000
"""Pairs of a mark and a row whose tables are held at once."""
MOST_SORTED = 1 << 20
"""About so many pairs are sorted at once: they take five times their room for that."""
QUICK = 7.0
"""Chi squared below which the exact p is surely above any level that so many marks allow."""


@frozen
class Rows:
    """The rows: each with its marks, sorted, the limit below which it knows them all, its stratum, task and outcome."""

    marks: Sequence[npt.NDArray[np.uint32]]
    limits: Sequence[int]
    strata: Sequence[Hashable]
    tasks: Sequence[Hashable]
    passed: Sequence[bool]


@frozen
class Separating:
    mark: int
    rows: tuple[int, ...]
    effect: float
    """How much more often rows with it pass, by Mantel and Haenszel."""
    p: float
    q: float


def separating_marks(rows: Iterable[Rows], level: float) -> list[list[Separating]]:
    """Of several kinds of marks those that separate passes from failures, by p; adjusted over all kinds together.

    Each kind is let go before the next is asked for: marks take room.
    """
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
    count, tasks = _Count(rows), _codes(rows.tasks)
    separating: list[Separating] = []
    looked_at = 0
    for marks, owners in count.pairs():
        starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]]) if len(marks) else np.zeros(0, np.int64)
        for first, last in _blocks(starts, len(marks), max(LARGEST_BLOCK, len(tasks))):
            block = slice(first, last)
            block_marks, mark_count = _tested_block(count, tasks, marks[block], owners[block])
            separating += block_marks
            looked_at += mark_count
    return separating, looked_at


def _blocks(starts: Integers, pairs: int, size: int) -> Iterator[tuple[int, int]]:
    """The first and the last pair of whole marks, about so many pairs at a time: their tables take room."""
    first = 0
    while first < pairs:
        place = int(np.searchsorted(starts, first + size))
        last = int(starts[place]) if place < len(starts) else pairs
        yield first, last
        first = last


def _tested_block(
    count: _Count, tasks: Integers, kept_marks: npt.NDArray[np.uint32], row_numbers: npt.NDArray[np.uint32]
) -> tuple[list[Separating], int]:
    """The same of some marks, each with all rows that carry it."""
    marks, owners = kept_marks.astype(np.int64), row_numbers.astype(np.int64)
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]])
    sizes = np.diff(starts, append=len(marks))
    often = _of_several_tasks(tasks, owners, sizes)
    likely = often & (_quick_test(count, marks, owners, sizes) >= QUICK)
    of_likely = np.repeat(likely, sizes)
    marks, owners, sizes = marks[of_likely], owners[of_likely], sizes[likely]
    starts = np.cumsum(sizes) - sizes
    cells, edges = count.tables(marks, owners, starts)
    tables = np.stack(cells, axis=1)
    separating = []
    for place, (first, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        of_mark: list[Table] = [(a, b, c, d) for a, b, c, d in tables[edges[place] : edges[place + 1]].tolist()]
        effect = risk_difference(of_mark)
        if effect is None or abs(effect) < LEAST_EFFECT:
            continue
        p = exact_p(of_mark)
        if p is not None:
            holders = sorted(owners[first : first + size].tolist())
            separating.append(Separating(int(marks[first]), tuple(holders), effect, p, 1.0))
    return separating, int(often.sum())


def _quick_test(count: _Count, marks: Integers, owners: Integers, sizes: Integers) -> npt.NDArray[np.float64]:
    """Chi squared of every mark. Strata of nothing but passes or failures add nothing to it, and are left out."""
    mixed = count.mixed[owners]
    stretches = np.repeat(np.arange(len(sizes)), sizes)[mixed]
    starts = np.flatnonzero(np.diff(stretches, prepend=-1))
    cells, edges = count.tables(marks[mixed], owners[mixed], starts)
    statistics = np.zeros(len(sizes))
    statistics[stretches[starts]] = _chi_squared(cells, edges[:-1])
    return statistics


def _ranges(marks: Sequence[npt.NDArray[np.uint32]]) -> Iterator[Sequence[npt.NDArray[np.uint32]]]:
    """The marks of all rows in ranges of about `MOST_SORTED`; those of a row are sorted."""
    ranges = -(-sum(map(len, marks)) // MOST_SORTED)
    if ranges <= 1:
        yield marks
        return
    inner = np.linspace(0, LARGEST_MARK, ranges, endpoint=False)[1:].astype(np.uint32)
    edges = [[0, *np.searchsorted(of_row, inner).tolist(), len(of_row)] for of_row in marks]
    for place in range(ranges):
        yield [of_row[edge[place] : edge[place + 1]] for of_row, edge in zip(marks, edges, strict=True)]


def _usual(marks: npt.NDArray[np.uint32], rows: int) -> npt.NDArray[np.bool_]:
    """Of marks in order whether enough of so many rows carry each and enough lack it."""
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]]) if len(marks) else np.zeros(0, np.int64)
    sizes = np.diff(starts, append=len(marks))
    return np.repeat((sizes >= FEWEST_ROWS) & (sizes <= rows - FEWEST_ROWS), sizes)


def _of_several_tasks(tasks: Integers, owners: Integers, sizes: Integers) -> npt.NDArray[np.bool_]:
    """Whether the rows of each stretch belong to enough tasks; those of many rows surely do, and are not counted."""
    largest_task = int(np.bincount(tasks).max(initial=0))
    several = sizes > (FEWEST_TASKS - 1) * largest_task
    several[~several] = _task_counts(tasks[owners[np.repeat(~several, sizes)]], sizes[~several]) >= FEWEST_TASKS
    return several


def _task_counts(tasks: Integers, sizes: Integers) -> Integers:
    """The number of different tasks in each stretch."""
    stretches = np.repeat(np.arange(len(sizes)), sizes)
    pairs = np.sort(stretches * (int(tasks.max(initial=0)) + 1) + tasks)
    firsts = np.r_[True, pairs[1:] != pairs[:-1]] if len(pairs) else np.zeros(0, bool)
    return np.bincount(stretches[firsts], minlength=len(sizes))


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
        self._cells = self._strata * 2 + self._failed
        self._limits = np.array(rows.limits, dtype=np.int64)
        self._every_cell = 2 * (int(self._strata.max(initial=0)) + 1)
        passes, fails = np.bincount(self._cells, minlength=self._every_cell).reshape(-1, 2).T
        self.mixed = (np.minimum(passes, fails) > 0)[self._strata]
        """Of every row whether its stratum has passes and failures."""

    def pairs(self) -> Iterator[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]]:
        """Every mark that enough rows carry and enough lack with every row that carries it, by mark and stratum.

        One range of marks after the other. Mark and row are sorted as one number, which is far quicker than to sort the
        one and move the other.
        """
        by_stratum = np.argsort(self._strata, kind="stable")
        in_order = [self._marks[row] for row in by_stratum.tolist()]
        rows = by_stratum.astype(np.uint32)
        for marks_of_rows in _ranges(in_order):
            pairs = np.concatenate([np.zeros(0, np.uint32), *marks_of_rows]).astype(np.uint64)
            pairs <<= ROW_BITS
            pairs |= np.repeat(np.arange(len(rows), dtype=np.uint64), [*map(len, marks_of_rows)] or 0)
            pairs.sort()
            marks = (pairs >> ROW_BITS).astype(np.uint32)
            usual = _usual(marks, len(rows))
            yield marks[usual], rows[pairs[usual].astype(np.uint32)]

    def tables(self, marks: Integers, owners: Integers, starts: Integers) -> tuple[Cells, Integers]:
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
        everyone = self._knowing(strata[firsts], marks[firsts])
        return (passes, fails, everyone[0] - passes, everyone[1] - fails), edges

    def _knowing(self, strata: Integers, marks: Integers) -> list[Integers]:
        """The passes and the fails of each stratum that know of a mark whether they carry it: their limit is above it.

        The marks are in order. Few limits lie among them, and only the cells of these few need a search.
        """
        if not len(marks):
            return [marks, marks]
        above = np.bincount(self._cells[self._limits > marks[-1]], minlength=self._every_cell)
        among = (self._limits > marks[0]) & (self._limits <= marks[-1])
        limited_cells = self._cells[among]
        limited = np.bincount(limited_cells, minlength=self._every_cell)
        last = np.cumsum(limited)
        limits = np.sort(limited_cells * ABOVE_LIMITS + self._limits[among])
        knowing = []
        for cells in (strata * 2, strata * 2 + 1):
            rows = above[cells]
            searched = np.flatnonzero(limited[cells])
            keys = cells[searched] * ABOVE_LIMITS + marks[searched]
            rows[searched] += last[cells[searched]] - np.searchsorted(limits, keys, side="right")
            knowing.append(rows)
        return knowing


def _chi_squared(cells: Cells, starts: Integers) -> npt.NDArray[np.float64]:
    """Cochran, Mantel and Haenszel's for every mark, without correction."""
    if not len(starts):
        return np.zeros(0)
    a, b, c, d = (cell.astype(np.float64) for cell in cells)
    n, with_it, passes = a + b + c + d, a + b, a + c
    several = n > 1
    many = np.where(several, n, 2.0)
    expected = with_it * passes / many
    variance = expected * (n - with_it) * (n - passes) / (many * (many - 1))
    spread = np.add.reduceat(np.where(several, variance, 0.0), starts)
    distance = np.add.reduceat(np.where(several, a - expected, 0.0), starts) ** 2
    statistic: npt.NDArray[np.float64] = np.divide(distance, spread, out=np.zeros(len(spread)), where=spread > 0)
    return statistic
