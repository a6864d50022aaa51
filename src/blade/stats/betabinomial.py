"""Task rates drawn from a beta distribution: how the rates spread, and what is known of one task's rate.

Rates are Beta(a, b) with mean mu = a / (a + b) and rho = 1 / (a + b + 1), the correlation of two rows of one task.
Tasks are (rows, passes) pairs, or a mapping from such a pair to the number of tasks. The log-likelihood is, up to a
constant,

    sum_i P_i log(mu (1-rho) + i rho) + F_i log((1-mu)(1-rho) + i rho) - N_i log(1-rho + i rho),  i = 0, 1, ...

where P_i, F_i and N_i count the tasks with more than i passes, failures and rows: from there on the number of tasks
does not matter for the cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen
from blade.stats.rounding import FITTED, significant
from blade.stats.scipy_functions import special

Tally: TypeAlias = Mapping[tuple[int, int], int] | Sequence[tuple[int, int]]
Floats: TypeAlias = npt.NDArray[np.float64]

RHO_LIMITS = (1e-6, 1.0 - 1e-6)
"""rho is kept here, so that a and b stay finite and above 0."""

SURE = 1e-8
"""A fit is searched this closely: below, the likelihood is flat to the last digit."""


@frozen
class BetaBinomial:
    mu: float
    rho: float
    a: float
    b: float


def fit(tasks: Tally) -> BetaBinomial | None:
    """Maximum-likelihood fit to six significant digits, or None where rho has no estimate.

    That is so with fewer than two tasks, with one row in every task, and if all rows passed or all failed. rho ends at
    its lower limit if the tasks differ no more than chance would have it, and at its upper limit if every task always
    passes or never does.
    """
    return _fit(_tally_items(tasks))


@lru_cache(maxsize=256)
def _fit(tasks: frozenset[tuple[tuple[int, int], int]]) -> BetaBinomial | None:
    """One run is asked about several times in an analysis."""
    tails = _Tails.of(dict(tasks))
    if tails is None or tails.rows[0] < 2 or len(tails.rows) < 2 or not (tails.passes[0] and tails.failures[0]):
        return None
    low, high = RHO_LIMITS
    while high - low > SURE * high:  # each round narrows rho sixteenfold
        rho = np.linspace(low, high, 33)
        mu = _best_mu(tails, rho)
        best = int(np.argmax(_log_likelihood(tails, mu, rho)))
        low, high = float(rho[max(best - 1, 0)]), float(rho[min(best + 1, 32)])
    m, r = significant(float(mu[best]), FITTED), significant(float(rho[best]), FITTED)
    return BetaBinomial(mu=m, rho=r, a=m * (1 - r) / r, b=(1 - m) * (1 - r) / r)


def posterior_interval(tasks: Tally, level: float = 0.95) -> tuple[float, float] | None:
    """Equal-tailed posterior interval of mu, the priors of mu and rho being flat on [0, 1]; None without rows.

    The posterior is summed over a grid that is narrowed until it spans only where the likelihood is within 20 nats of
    its best. It is proper for any data: all passed, all failed, one task, one row per task. With one row in every task
    rho drops out, and mu has a beta posterior.
    """
    tails = _Tails.of(tasks)
    if tails is None:
        return None
    mu, rho = np.linspace(0.0, 1.0, 241), np.linspace(0.0, 1.0, 121)
    while True:
        log_likelihood = _log_likelihood(tails, _middles(mu)[:, None], _middles(rho)[None, :])
        log_likelihood -= log_likelihood.max()
        near_mu, near_rho = _narrowed(mu, log_likelihood.max(axis=1)), _narrowed(rho, log_likelihood.max(axis=0))
        if near_mu is None and near_rho is None:
            break
        mu, rho = mu if near_mu is None else near_mu, rho if near_rho is None else near_rho
    mass = np.exp(log_likelihood).sum(axis=1)
    below = np.concatenate(([0.0], np.cumsum(mass) / mass.sum()))
    tail = (1.0 - level) / 2.0
    low, high = np.interp([tail, 1.0 - tail], below, mu)
    return float(low), float(high)


@lru_cache(maxsize=4096)
def prob_rate_above(n: int, c: int, threshold: float, a: float, b: float) -> float:
    """P(rate > cut) for a task with c passes in n rows whose rate comes from Beta(a, b): 1 - I_cut(a + c, b + n - c).

    a and b must be above 0. Where there is no fit, a = b = 1/2 is the neutral choice.
    """
    if not 0 <= c <= n:
        raise ValueError(f"{c} passes in {n} rows")
    if not (a > 0 and b > 0):
        raise ValueError(f"a and b must be above 0: {a}, {b}")
    return float(special.betaincc(a + c, b + n - c, min(max(threshold, 0.0), 1.0)))


@frozen
class _Tails:
    """Numbers of tasks with more than i passes, failures and rows, for i = 0, 1, ... up to the most rows of a task."""

    passes: Floats
    failures: Floats
    rows: Floats

    @classmethod
    def of(cls, tasks: Tally) -> _Tails | None:
        cells = [(n, c, copies) for (n, c), copies in _tally_items(tasks) if n]
        if not cells:
            return None
        n, c, copies = np.array(cells, dtype=np.int64).T
        if np.any((c < 0) | (c > n)):
            raise ValueError("a task has fewer than 0 passes or more passes than rows")
        longest = int(n.max())
        return cls(*(_more_than(values, copies, longest) for values in (c, n - c, n)))


def _tally_items(tasks: Tally) -> frozenset[tuple[tuple[int, int], int]]:
    return frozenset((tasks if isinstance(tasks, Mapping) else Counter(tasks)).items())


def _more_than(values: npt.NDArray[np.int64], copies: npt.NDArray[np.int64], longest: int) -> Floats:
    exactly = np.bincount(values, weights=copies, minlength=longest + 1)
    return np.asarray(np.cumsum(exactly[::-1])[::-1][1:], dtype=np.float64)


def _log_likelihood(tails: _Tails, mu: Floats, rho: Floats) -> Floats:
    passes, failures, rows = tails.passes, tails.failures, tails.rows
    mixed = passes[0] + failures[0] - rows[0]  # tasks with both: the terms of i = 0 share the factor 1 - rho
    total: Floats = passes[0] * np.log(mu) + failures[0] * np.log1p(-mu) + mixed * np.log1p(-rho)
    for i in range(1, len(rows)):
        total = total - rows[i] * np.log(1.0 - rho + i * rho)
        if passes[i]:
            total = total + passes[i] * np.log(mu * (1.0 - rho) + i * rho)
        if failures[i]:
            total = total + failures[i] * np.log((1.0 - mu) * (1.0 - rho) + i * rho)
    return total


def _best_mu(tails: _Tails, rho: Floats) -> Floats:
    """The best mu for each rho by bisection: the log-likelihood is concave in mu."""
    spread = np.arange(len(tails.rows)) * (rho / (1.0 - rho))[:, None]
    low, high = np.zeros_like(rho), np.ones_like(rho)
    for _ in range(45):
        mu = ((low + high) / 2.0)[:, None]
        slope = (tails.passes / (mu + spread) - tails.failures / (1.0 - mu + spread)).sum(axis=1)
        low, high = np.where(slope > 0, mu[:, 0], low), np.where(slope > 0, high, mu[:, 0])
    return np.asarray((low + high) / 2.0)


def _middles(edges: Floats) -> Floats:
    return (edges[1:] + edges[:-1]) / 2.0


def _narrowed(edges: Floats, profile: Floats) -> Floats | None:
    """As many cells over the part that matters, with two cells to spare; None unless that is under half of the span."""
    near = np.flatnonzero(profile > -20.0)
    first, last = max(int(near[0]) - 2, 0), min(int(near[-1]) + 3, len(edges) - 1)
    if 2 * (last - first) > len(profile):
        return None
    return np.linspace(edges[first], edges[last], len(edges))
