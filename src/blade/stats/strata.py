"""Two-by-two tables, one per task: whether a feature goes with passing, tasks kept apart.

A table is (a, b, c, d): passes and fails with the feature, passes and fails without it. Tables of tasks that all passed
or all failed, or where the feature is everywhere or nowhere, say nothing, and change nothing below.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen

Table: TypeAlias = tuple[int, int, int, int]
Floats = npt.NDArray[np.float64]

MOST_SUMS = 20_000
MOST_TABLES = 100
STEPS_OF_SURPRISE = 20
SMALL = 64
"""Rollouts of a table whose law is kept."""
Z_95 = 1.959963984540054


@frozen
class Cmh:
    statistic: float  # chi squared, one degree of freedom
    p: float
    applicable: bool  # every cell, summed over the tables, is expected to hold 5 or more


@frozen
class OddsRatio:
    value: float  # infinite if nothing speaks against the feature
    interval: tuple[float, float] | None  # 95 %, Robins, Breslow and Greenland; None at 0 and infinity


def exact_p(tables: Sequence[Table]) -> float | None:
    """Two-sided p of the sum of a, given all margins: the chance of a sum no more likely than the one seen.

    The law of the sum is a convolution of hypergeometric laws. With more than 20,000 possible sums the normal law is
    good enough, and p is that of `cmh`. None if no table says anything.
    """
    counts = Counter(sorted(table for table in tables if informative(table)))
    if not counts:
        return None
    if sum(min(table[0] + table[1], table[0] + table[2]) * copies for table, copies in counts.items()) > MOST_SUMS:
        normal = cmh(tables)
        return None if normal is None else normal.p
    law = np.ones(1)
    for table, copies in counts.items():
        law = np.convolve(law, _power(_hypergeometric(table), copies))
    observed = sum((table[0] - _least(table)) * copies for table, copies in counts.items())
    return min(float(law[law <= law[observed] * (1.0 + 1e-7)].sum()), 1.0)


def exact_p_either_way(tables: Sequence[Table]) -> float | None:
    """The p of tables that lean one way or the other, each by itself: more passes in one, fewer in the next.

    `exact_p` adds the tables up, and opposite ones cancel out. Here the sum is of the surprise of each table, the
    logarithm of its own two-sided p in whole steps, and its law given all margins is exact. Of very many tables those
    with the most rollouts are enough. None if no table says anything.
    """
    telling = sorted(filter(informative, tables), key=lambda table: -sum(table))[:MOST_TABLES]
    if not telling:
        return None
    law, observed = np.ones(1), 0
    for table in telling:
        chances = _hypergeometric(table)
        surprises = [-math.log(min(chances[chances <= chance * (1.0 + 1e-7)].sum(), 1.0)) for chance in chances]
        steps = [round(surprise * STEPS_OF_SURPRISE) for surprise in surprises]
        observed += steps[table[0] - _least(table)]
        step_law = np.bincount(steps, weights=chances)
        law = np.convolve(law, step_law)
    return min(float(law[observed:].sum()), 1.0)


def risk_difference(tables: Sequence[Table]) -> float | None:
    """Mantel-Haenszel: sum (a n0 - c n1) / N over sum n1 n0 / N, n1 rows with the feature and n0 without; or None."""
    parts = [risk_parts(table) for table in tables if sum(table)]
    below = math.fsum(weight for _, weight in parts)
    return math.fsum(part for part, _ in parts) / below if below > 0 else None


def risk_parts(table: Table) -> tuple[float, float]:
    """What one table adds above and below the line of the risk difference."""
    a, b, c, d = table
    return (a * (c + d) - c * (a + b)) / sum(table), (a + b) * (c + d) / sum(table)


def odds_ratio(tables: Sequence[Table]) -> OddsRatio | None:
    """Mantel-Haenszel: sum ad / N over sum bc / N; None if both are 0."""
    cells = [(a * d / n, b * c / n, (a + d) / n, (b + c) / n) for a, b, c, d in tables if (n := a + b + c + d)]
    r, s = math.fsum(concordant[0] for concordant in cells), math.fsum(concordant[1] for concordant in cells)
    if r == 0 or s == 0:
        return None if r == s else OddsRatio(math.inf if s == 0 else 0.0, None)
    variance = (
        math.fsum(p * concordant for concordant, _, p, _ in cells) / (2 * r * r)
        + math.fsum(p * discordant + q * concordant for concordant, discordant, p, q in cells) / (2 * r * s)
        + math.fsum(q * discordant for _, discordant, _, q in cells) / (2 * s * s)
    )
    half = Z_95 * math.sqrt(variance)
    return OddsRatio(r / s, (r / s * math.exp(-half), r / s * math.exp(half)))


def cmh(tables: Sequence[Table], *, correction: bool = True) -> Cmh | None:
    """Cochran-Mantel-Haenszel: (|sum a - E| - 1/2)^2 / V, the half left out without correction; None if V = 0."""
    telling = [table for table in tables if informative(table)]
    if not telling:
        return None
    rows = np.array(sorted(telling), dtype=np.float64)
    n, with_it, passes = rows.sum(axis=1), rows[:, 0] + rows[:, 1], rows[:, 0] + rows[:, 2]
    expected = with_it * passes / n
    variance = math.fsum((expected * (n - with_it) * (n - passes) / (n * (n - 1))).tolist())
    distance = abs(math.fsum((rows[:, 0] - expected).tolist()))
    statistic = max(distance - (0.5 if correction else 0.0), 0.0) ** 2 / variance
    a = float(expected.sum())
    cells = (a, float(with_it.sum()) - a, float(passes.sum()) - a, float((n - with_it - passes).sum()) + a)
    return Cmh(statistic, math.erfc(math.sqrt(statistic / 2.0)), min(cells) >= 5)


def informative(table: Table) -> bool:
    """Whether a task has passes and failures, with the feature and without it."""
    a, b, c, d = table
    return min(a + b, c + d, a + c, b + d) > 0


def _least(table: Table) -> int:
    """The smallest a the margins allow: with the feature + passes - N, or 0."""
    a, _, _, d = table
    return max(0, a - d)


def _hypergeometric(table: Table) -> Floats:
    """The chances of every a that the margins allow, from the smallest; nobody changes them."""
    return _small_law(table) if sum(table) <= SMALL else _law(table)


@lru_cache(maxsize=4096)
def _small_law(table: Table) -> Floats:
    """Tasks have few attempts, so that the same few tables come again and again."""
    return _law(table)


def _law(table: Table) -> Floats:
    """Whole numbers of ways, each divided once.

    The feature and the outcome may change places: where the fewer of either are drawn, the numbers are far shorter.
    """
    a, b, c, d = table
    with_it, without, passes = a + b, c + d, a + c
    if min(with_it, without) < min(passes, b + d):
        with_it, without, passes = passes, b + d, with_it
    subsets = math.comb(with_it + without, passes)
    least, most = _least(table), min(with_it, passes)
    ways = math.comb(with_it, least) * math.comb(without, passes - least)
    chances = [ways / subsets]
    for k in range(least, most):  # each number of ways from the one before it, as whole numbers
        ways = ways * ((with_it - k) * (passes - k)) // ((k + 1) * (without - passes + k + 1))
        chances.append(ways / subsets)
    return np.array(chances)


def _power(law: Floats, copies: int) -> Floats:
    """The law of a sum of independent copies, by squaring."""
    result = np.ones(1)
    while copies:
        if copies % 2:
            result = np.convolve(result, law)
        copies //= 2
        if copies:
            law = np.convolve(law, law)
    return result
