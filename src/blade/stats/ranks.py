"""More than two runs: which differ, and how they may rank.

Runs are the columns of a matrix with one row per task they all have, holding the task means. Tasks are resampled, the
same for every run, so what is hard for all of them cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.quantiles import quantiles
from blade.stats.scipy_functions import special

Floats = npt.NDArray[np.float64]

DRAWS = 2000


@frozen
class Difference:
    first: int
    second: int
    delta: float  # second minus first
    se: float
    t: float | None  # None where se is 0
    interval: tuple[float, float]  # delta ± critical se: all of them hold together
    significant: bool


@frozen
class Ranking:
    scores: tuple[float, ...]
    critical: float  # what |t| must exceed, whichever pair is looked at
    pairs: tuple[Difference, ...]
    ranks: tuple[tuple[int, int], ...]  # [1 + runs significantly better, R - runs significantly worse]
    best: tuple[float, ...]  # share of the resamples in which the run leads; ties share


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
    critical = max(quantiles(max_t, [level])[0], float(special.stdtrit(tasks - 1, (1.0 + level) / 2.0)))
    pairs = tuple(_difference(m, i, j, critical) for i, j in combinations(range(runs), 2))
    scores = tuple(math.fsum(column) / tasks for column in m.T.tolist())
    worse = [pair.first if pair.delta > 0 else pair.second for pair in pairs if pair.significant]
    better = [pair.second if pair.delta > 0 else pair.first for pair in pairs if pair.significant]
    ranks = tuple((1 + worse.count(r), runs - better.count(r)) for r in range(runs))
    best = np.empty(runs)
    best[places] = leads
    return Ranking(scores, critical, pairs, ranks, tuple(best.tolist()))


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
