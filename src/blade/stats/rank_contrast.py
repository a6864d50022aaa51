"""A number of each row, ranked within its task: higher in the passes, or in the fails.

A stratum is (numbers of the passes, numbers of the fails) of one task. AUC = P(pass > fail), ties counting one half;
tasks are weighted by w = n1 n0 / (N + 1), after van Elteren, so that

    sum w (AUC - 1/2) = sum (U - n1 n0 / 2) / (N + 1),   U = pairs in which the pass has the higher number.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Stratum: TypeAlias = tuple[Sequence[float], Sequence[float]]
Pattern: TypeAlias = tuple[tuple[int, ...], int]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_WORK = 10**8
"""Steps to work out the law of one task's ranks. Above, its labels are shuffled instead."""

CELLS = 2048
"""A power of two, so that the cell of a random number is exact."""


def auc_parts(stratum: Stratum) -> tuple[float, float]:
    """What one task adds above and below the line of the pooled AUC: w AUC and w. Both 0 unless it has both kinds."""
    passes, fails = stratum
    rows = len(passes) + len(fails) + 1
    return _doubled_pairs(stratum) / 2.0 / rows, _pairs(stratum) / rows


def pooled_auc(strata: Sequence[Stratum]) -> float | None:
    """Sum w AUC over sum w: .5 is no difference, above it passes have the higher numbers. None without a mixed task."""
    parts = [auc_parts(stratum) for stratum in strata]
    below = math.fsum(weight for _, weight in parts)
    return math.fsum(part for part, _ in parts) / below if below > 0 else None


def rank_p(strata: Sequence[Stratum], *, seed: int = 0, permutations: int = 10_000) -> float | None:
    """Two-sided p of sum w (AUC - 1/2), the labels being shuffled within each task: (1 + hits) / (1 + permutations).

    Tasks with the same ranks and number of passes are shuffled together. None unless the numbers differ in some task
    that has passes and fails.
    """
    patterns = Counter(_pattern(stratum) for stratum in strata if _pairs(stratum))
    patterns = Counter({pattern: copies for pattern, copies in patterns.items() if len(set(pattern[0])) > 1})
    if not patterns:
        return None
    observed = math.fsum((_doubled_pairs(s) - _pairs(s)) / (len(s[0]) + len(s[1]) + 1) for s in strata if _pairs(s))
    rng = np.random.default_rng(seed)
    null_sums = np.zeros(permutations)
    for pattern in sorted(patterns):
        ranks, passes = pattern
        centre = passes * (len(ranks) + 1) * patterns[pattern]
        null_sums += (_draw(rng, pattern, patterns[pattern], permutations) - centre) / (len(ranks) + 1)
    hits = int((np.abs(null_sums) >= abs(observed) - 1e-9).sum())
    return (1 + hits) / (1 + permutations)


def _pairs(stratum: Stratum) -> int:
    return len(stratum[0]) * len(stratum[1])


def _doubled_pairs(stratum: Stratum) -> int:
    """2 U."""
    fails = sorted(stratum[1])
    return sum(bisect_left(fails, value) + bisect_right(fails, value) for value in stratum[0])


def _pattern(stratum: Stratum) -> Pattern:
    """Doubled middle ranks in ascending order, and the number of passes. 2 U = sum of the passes' - n1 (n1 + 1)."""
    ordered = sorted([*stratum[0], *stratum[1]])
    return tuple(bisect_left(ordered, v) + bisect_right(ordered, v) + 1 for v in ordered), len(stratum[0])


def _draw(rng: np.random.Generator, pattern: Pattern, copies: int, times: int) -> Integers:
    """Sums of the doubled ranks of randomly chosen passes, summed over as many tasks, `times` times."""
    ranks, passes = pattern
    if len(ranks) ** 3 * min(passes, len(ranks) - passes) > MOST_WORK:
        tasks = (rng.permuted(np.tile(ranks, (times, 1)), axis=1)[:, :passes].sum(axis=1) for _ in range(copies))
        return np.asarray(np.sum(list(tasks), axis=0, dtype=np.int64))
    values, chances = _law(pattern)
    if copies > len(values):
        return np.asarray(rng.multinomial(copies, chances, size=times) @ values, dtype=np.int64)
    below = np.cumsum(chances)
    below[-1] = 1.0
    pick = _Picker(below)
    sums = np.zeros(times, dtype=np.int64)
    for _ in range(copies):
        sums += values[pick(rng.random(times))]
    return sums


class _Picker:
    """How many of the ascending numbers, the last of them 1, are not above a random one below 1.

    The places where a cell of [0, 1) begins are looked up. Where at most one number lies in the cell one comparison is
    left to make; only in the others the place is searched for.
    """

    def __init__(self, below: Floats) -> None:
        self.below = below
        ends = np.searchsorted(below, np.arange(CELLS + 1) / CELLS, side="right")
        self.begin = ends[:-1]
        self.crowded = np.diff(ends) > 1

    def __call__(self, uniforms: Floats) -> Integers:
        cells = (uniforms * CELLS).astype(np.intp)
        places = self.begin[cells]
        places += self.below[places] <= uniforms
        crowded_places = np.flatnonzero(self.crowded[cells])
        places[crowded_places] = np.searchsorted(self.below, uniforms[crowded_places], side="right")
        return np.asarray(places)


def _law(pattern: Pattern) -> tuple[Integers, Floats]:
    """The sum of the doubled ranks of n1 rows out of N: its values, and their chances by counting subsets."""
    ranks, passes = pattern
    fewer = min(passes, len(ranks) - passes)
    arrangements = np.zeros((fewer + 1, sum(sorted(ranks)[-fewer:]) + 1))
    arrangements[0, 0] = 1.0
    for rank in ranks:
        arrangements[1:, rank:] += arrangements[:-1, :-rank].copy()
    values = np.flatnonzero(arrangements[fewer])
    chances = arrangements[fewer, values] / arrangements[fewer].sum()
    return (values if fewer == passes else sum(ranks) - values), chances
