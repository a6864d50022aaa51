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
    strata, tasks = _codes(rows.strata), _codes(rows.tasks)
    passed = np.array(rows.passed, dtype=bool)
    limits = np.array(rows.limits, dtype=np.int64)
    starts = np.flatnonzero(np.r_[True, marks[1:] != marks[:-1]])
    ends = np.r_[starts[1:], len(marks)]
    often = (ends - starts >= FEWEST_ROWS) & (ends - starts <= len(limits) - FEWEST_ROWS)
    separating, looked_at = [], 0
    for start, end in zip(starts[often].tolist(), ends[often].tolist(), strict=True):
        holders, mark = owners[start:end], int(marks[start])
        if len(np.unique(tasks[holders])) < FEWEST_TASKS:
            continue
        looked_at += 1
        tables = _tables(strata, passed, holders, limits > mark)
        if _chi_squared(tables) < QUICK:
            continue
        strata_tables: list[Table] = [(a, b, c, d) for a, b, c, d in tables.tolist()]
        p, effect = exact_p(strata_tables), risk_difference(strata_tables)
        if p is not None and effect is not None and abs(effect) >= LEAST_EFFECT:
            separating.append(Separating(mark, tuple(holders.tolist()), effect, p, 1.0))
    return separating, looked_at


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


def _tables(
    strata: Integers, passed: npt.NDArray[np.bool_], holders: Integers, usable: npt.NDArray[np.bool_]
) -> Integers:
    """Per stratum: passes and fails with the mark, passes and fails without it."""
    stratum_count = int(strata.max()) + 1
    cells = strata * 2 + ~passed
    everyone = np.bincount(cells[usable], minlength=2 * stratum_count).reshape(stratum_count, 2)
    with_it = np.bincount(cells[holders], minlength=2 * stratum_count).reshape(stratum_count, 2)
    return np.hstack([with_it, everyone - with_it])


def _chi_squared(tables: Integers) -> float:
    """Cochran, Mantel and Haenszel's, without correction."""
    a, b, c, d = (tables[:, column].astype(np.float64) for column in range(4))
    n, with_it, passes = a + b + c + d, a + b, a + c
    informative = n > 1
    expected = with_it[informative] * passes[informative] / n[informative]
    variance = (
        expected
        * (n[informative] - with_it[informative])
        * (n[informative] - passes[informative])
        / (n[informative] * (n[informative] - 1))
    )
    spread = float(variance.sum())
    return float((a[informative] - expected).sum()) ** 2 / spread if spread > 0 else 0.0
