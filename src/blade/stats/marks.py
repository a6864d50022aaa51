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
    looked_at = sum(many for _, many in tested)
    p = [one.p for found, _ in tested for one in found]
    adjusted = iter(benjamini_hochberg([*p, *([1.0] * (looked_at - len(p)))]))
    made = []
    for found, _ in tested:
        told = [Separating(one.mark, one.rows, one.effect, one.p, q) for one, q in zip(found, adjusted, strict=False)]
        made.append(sorted((one for one in told if one.q <= level), key=lambda one: (one.p, one.mark)))
    return made


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
    found, looked_at = [], 0
    for start, end in zip(starts[often].tolist(), ends[often].tolist(), strict=True):
        holders, mark = owners[start:end], int(marks[start])
        if len(np.unique(tasks[holders])) < FEWEST_TASKS:
            continue
        looked_at += 1
        tables = _tables(strata, passed, holders, limits > mark)
        if _chi_squared(tables) < QUICK:
            continue
        told: list[Table] = [(a, b, c, d) for a, b, c, d in tables.tolist()]
        p, effect = exact_p(told), risk_difference(told)
        if p is not None and effect is not None and abs(effect) >= LEAST_EFFECT:
            found.append(Separating(mark, tuple(holders.tolist()), effect, p, 1.0))
    return found, looked_at


def _pairs(rows: Rows) -> tuple[Integers, Integers]:
    """Every mark with every row that carries it, by mark."""
    if not any(len(one) for one in rows.marks):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    marks = np.concatenate([np.asarray(one, dtype=np.int64) for one in rows.marks])
    owners = np.repeat(np.arange(len(rows.marks)), [len(one) for one in rows.marks])
    order = np.argsort(marks, kind="stable")
    return marks[order], owners[order]


def _codes(values: Sequence[Hashable]) -> Integers:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def _tables(
    strata: Integers, passed: npt.NDArray[np.bool_], holders: Integers, known: npt.NDArray[np.bool_]
) -> Integers:
    """Per stratum: passes and fails with the mark, passes and fails without it."""
    many = int(strata.max()) + 1
    cells = strata * 2 + ~passed
    everyone = np.bincount(cells[known], minlength=2 * many).reshape(many, 2)
    with_it = np.bincount(cells[holders], minlength=2 * many).reshape(many, 2)
    return np.hstack([with_it, everyone - with_it])


def _chi_squared(tables: Integers) -> float:
    """Cochran, Mantel and Haenszel's, without correction."""
    a, b, c, d = (tables[:, column].astype(np.float64) for column in range(4))
    n, with_it, passes = a + b + c + d, a + b, a + c
    told = n > 1
    expected = with_it[told] * passes[told] / n[told]
    variance = expected * (n[told] - with_it[told]) * (n[told] - passes[told]) / (n[told] * (n[told] - 1))
    spread = float(variance.sum())
    return float((a[told] - expected).sum()) ** 2 / spread if spread > 0 else 0.0
