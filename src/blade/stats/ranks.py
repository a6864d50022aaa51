"""More than two runs: which differ, how they may rank, and whether ordered ones show a trend or a break.

Runs are the columns of a matrix with one row per task they all have, holding the task means. Tasks are resampled, the
same for every run, so what is hard for all of them cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]

DRAWS = 2000
ALL_ORDERS_UP_TO = 7
"""Runs whose orders are all tried; with more, 2000 orders are drawn."""


@dataclass(frozen=True, slots=True)
class Difference:
    first: int
    second: int
    delta: float  # second minus first
    se: float
    t: float | None  # None where se is 0
    interval: tuple[float, float]  # delta ± critical se: all of them hold together
    significant: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    scores: tuple[float, ...]
    critical: float  # what |t| must exceed, whichever pair is looked at
    pairs: tuple[Difference, ...]
    ranks: tuple[tuple[int, int], ...]  # [1 + runs significantly better, R - runs significantly worse]
    best: tuple[float, ...]  # share of the resamples in which the run leads; ties share


@dataclass(frozen=True, slots=True)
class Trend:
    s: int  # rises minus falls over all pairs of checkpoints
    tau: float  # s over the number of pairs
    p: float  # two-sided


@dataclass(frozen=True, slots=True)
class ChangePoint:
    split: int  # runs before the break
    delta: float  # mean of the runs after it minus mean of those before
    t: float | None  # paired over tasks; None where all tasks moved by the same amount
    p: float


def rank_runs(matrix: Sequence[Sequence[float]], *, seed: int, level: float = 0.95) -> Ranking | None:
    """All pairwise differences, held together by a bootstrap over tasks; None below two tasks or without runs.

    Critical is the `level` quantile of max |t*| over the pairs, t* = (d* - d) / se*, in 2000 resamples, and never below
    the t quantile for a single pair. Where all tasks differ by one and the same amount other than 0, that counts as
    significant from six tasks on, as a sign test would have it.
    """
    m = _matrix(matrix)
    tasks, runs = m.shape
    if tasks < 2 or runs < 1:
        return None
    places = _canonical(m)
    ordered = m[:, places]
    ordered = ordered[np.lexsort(ordered.T[::-1])]
    max_t, leads = _resampled(ordered, np.random.default_rng(seed))
    critical = max(float(np.quantile(max_t, level)), float(special.stdtrit(tasks - 1, (1.0 + level) / 2.0)))
    pairs = tuple(_difference(m, i, j, critical) for i, j in combinations(range(runs), 2))
    scores = tuple(math.fsum(column) / tasks for column in m.T.tolist())
    worse = [pair.first if pair.delta > 0 else pair.second for pair in pairs if pair.significant]
    better = [pair.second if pair.delta > 0 else pair.first for pair in pairs if pair.significant]
    ranks = tuple((1 + worse.count(r), runs - better.count(r)) for r in range(runs))
    best = np.empty(runs)
    best[places] = leads
    return Ranking(scores, critical, pairs, ranks, tuple(best.tolist()))


def mann_kendall(scores: Sequence[float]) -> Trend | None:
    """Trend of ordered checkpoints: S = sum of sign(s_j - s_i) over i < j; None below three.

    p is the share of all orders with |S| as large, up to seven checkpoints: three cannot go below 1/3, five reach 1/60.
    With more, it is the normal approximation with Kendall's correction for ties and for continuity.
    """
    runs = len(scores)
    if runs < 3:
        return None
    values = np.array(scores, dtype=np.float64)
    steps = values[None, :] - values[:, None]
    signs = np.where(np.abs(steps) <= 1e-12, 0, np.sign(steps)).astype(np.int64)
    later = np.triu_indices(runs, 1)
    s = int(signs[later].sum())
    if runs <= ALL_ORDERS_UP_TO:
        orders = np.array(list(permutations(range(runs))))
        sums = signs[orders[:, later[0]], orders[:, later[1]]].sum(axis=1)
        p = float(np.mean(np.abs(sums) >= abs(s)))
    else:
        ties = (signs == 0).sum(axis=1)  # each checkpoint's group of equals, itself included
        tied = float(((ties - 1) * (2 * ties + 5)).sum())
        variance = (runs * (runs - 1) * (2 * runs + 5) - tied) / 18.0
        z = max(abs(s) - 1, 0) / math.sqrt(variance) if variance > 0 else 0.0
        p = 2.0 * float(special.ndtr(-z))
    return Trend(s, s / len(later[0]), p)


def change_point(matrix: Sequence[Sequence[float]], *, seed: int) -> ChangePoint | None:
    """The split of ordered runs with the largest paired |t| between after and before; None below 3 runs or 2 tasks.

    p is the share of run orders whose largest |t| is as large: all orders up to seven runs, else 2000 drawn ones and
    (1 + hits) / 2001. Of equal splits the earliest is taken.
    """
    m = _matrix(matrix)
    tasks, runs = m.shape
    if tasks < 2 or runs < 3:
        return None
    m = m[np.lexsort(m.T[::-1])]
    means, spread = m.mean(axis=0), np.atleast_2d(np.cov(m, rowvar=False)) / tasks
    drawn = runs > ALL_ORDERS_UP_TO
    if drawn:
        orders = np.random.default_rng(seed).permuted(np.tile(np.arange(runs), (DRAWS, 1)), axis=1)
    else:
        orders = np.array(list(permutations(range(runs))))
    deltas, t = _splits(means, spread, np.arange(runs)[None, :])
    largest = float(t.max())
    split = int(np.flatnonzero(t[0] >= largest * (1.0 - 1e-9))[0])
    hits = int(np.count_nonzero(_splits(means, spread, orders)[1].max(axis=1) >= largest * (1.0 - 1e-9)))
    p = (1 + hits) / (DRAWS + 1) if drawn else hits / len(orders)
    delta = float(deltas[0, split])
    found = math.copysign(largest, delta) if math.isfinite(largest) else None
    return ChangePoint(split + 1, delta, found, p)


def _matrix(matrix: Sequence[Sequence[float]]) -> Floats:
    m = np.array(matrix, dtype=np.float64)
    if m.size == 0:
        return np.zeros((0, 0))
    if m.ndim != 2 or not np.isfinite(m).all():
        raise ValueError("every task needs a finite mean in every run")
    return m + 0.0


def _canonical(m: Floats) -> list[int]:
    """Columns in an order that depends on neither their own nor that of the rows, unless two have all the same rows."""
    rows = m.tolist()
    kinds = [tuple(sorted(row)) for row in rows]
    keys = [sorted((kind, row[r]) for kind, row in zip(kinds, rows, strict=True)) for r in range(m.shape[1])]
    return sorted(range(m.shape[1]), key=keys.__getitem__)


def _resampled(m: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Max |t*| over the pairs in each resample of the tasks, and the share of the resamples that each run leads."""
    tasks, runs = m.shape
    first, second = np.triu_indices(runs, 1)
    d = m[:, second] - m[:, first]
    d -= d.mean(axis=0)
    d[:, np.abs(d).max(axis=0) <= 1e-12] = 0.0
    usual = (d**2).sum(axis=0) / tasks / (tasks - 1)
    columns = np.hstack([d, d**2, m])
    max_t, leads = np.zeros(DRAWS), np.zeros(runs)
    for block in np.array_split(np.arange(DRAWS), 20):
        picks = generator.integers(0, tasks, (len(block), tasks)) + tasks * np.arange(len(block))[:, None]
        weights = np.bincount(picks.ravel(), minlength=picks.size).reshape(picks.shape) / tasks
        means = weights @ columns
        drift, squares, scores = np.split(means, [len(first), 2 * len(first)], axis=1)
        variance = (squares - drift**2) / (tasks - 1)
        variance = np.where(variance > 1e-12 * usual, variance, usual)  # a resample may be all one task
        max_t[block] = (np.abs(drift) / np.sqrt(np.where(variance > 0, variance, 1.0))).max(axis=1, initial=0.0)
        lead = scores >= scores.max(axis=1, keepdims=True) - 1e-12
        leads += (lead / lead.sum(axis=1, keepdims=True)).sum(axis=0)
    return max_t, leads / DRAWS


def _difference(m: Floats, first: int, second: int, critical: float) -> Difference:
    d = m[:, second] - m[:, first]
    tasks, delta = len(d), math.fsum(d.tolist()) / len(d)
    if np.ptp(d) <= 1e-12:
        return Difference(first, second, delta, 0.0, None, (delta, delta), abs(delta) > 1e-12 and tasks >= 6)
    se = math.sqrt(math.fsum(((d - delta) ** 2).tolist()) / (tasks - 1) / tasks)
    t, half = delta / se, critical * se
    return Difference(first, second, delta, se, t, (delta - half, delta + half), abs(t) > critical)


def _splits(means: Floats, spread: Floats, orders: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """After minus before and its |t|, for every order and split; |t| is inf where only the mean moved, 0 if nothing."""
    runs = len(means)
    sizes = np.arange(1, runs)[:, None]
    early = np.argsort(orders, axis=1)[:, None, :] < sizes  # order, split, run: stands before the split
    contrast = np.where(early, -1.0 / sizes, 1.0 / (runs - sizes))
    delta = contrast @ means
    variance = np.einsum("osi,ij,osj->os", contrast, spread, contrast)
    still = variance <= 1e-12 * max(float(np.trace(spread)), 1e-300)
    t = np.abs(delta) / np.sqrt(np.where(still, 1.0, variance))
    return delta, np.where(still, np.where(np.abs(delta) > 1e-12, np.inf, 0.0), t)
