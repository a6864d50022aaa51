"""How much of the spread of scores lies between tasks, and how much is noise inside them.

Both forms take one array element per task and are vectorised. Sums are exact (fsum), so task order does not matter.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from blade.frozen import frozen

Floats = npt.NDArray[np.float64]


@frozen
class Components:
    """Variance components of one run, by the method of moments. None is what the design cannot identify."""

    score: float | None  # mean of the task means
    tasks: int  # T, tasks with rows
    rows: int  # N
    within: float | None  # W = mean w over tasks with n >= 2, w the variance of a task's rows
    total: float | None  # V = variance of the task means; needs two tasks
    between: float | None  # V - mean(w / n): variance of the true rates, unbiased, so it may be below 0
    icc: float | None  # between / (between + W); None if that sum is not above 0
    se_super: float | None  # sqrt(V / T): new tasks of the same kind
    se_fixed: float | None  # sqrt(sum w / n) / T: these tasks, new rows; needs a task with n >= 2
    n_eff: float | None  # independent rows worth as much: row variance / se_super^2, within [T, N]; T if V = 0
    deff: float | None  # N / n_eff


def binary_components(rows: npt.ArrayLike, passes: npt.ArrayLike) -> Components:
    """Components from n rows and c passes per task: m = c / n, w = c(n-c) / (n(n-1)). No rows: left out."""
    n, c = _floats(rows), _floats(passes)
    if np.any((c < 0) | (c > n)):
        raise ValueError("a task has fewer than 0 passes or more passes than rows")
    n, c = n[n > 0], c[n > 0]
    return components(n, c / n, c * (n - c) / (n * np.maximum(n - 1, 1)))


def components(rows: npt.ArrayLike, means: npt.ArrayLike, variances: npt.ArrayLike) -> Components:
    """Components from n, mean and sample variance (ddof = 1) per task; the variance is not looked at where n = 1.

    A task with one row takes the mean variance W of the other tasks. With one row in every task, within, between, icc
    and se_fixed are None; with one task, total, between, icc, se_super, n_eff and deff are None.
    """
    n, m, w = _floats(rows), _floats(means), _floats(variances)
    has_rows = n > 0
    n, m, w = n[has_rows], m[has_rows], np.where(n > 1, w, 0.0)[has_rows]
    tasks, count = len(n), int(n.sum())
    if not tasks:
        return Components(None, 0, 0, *(None,) * 8)
    score = _mean(m)
    within = _mean(w[n > 1]) if np.any(n > 1) else None
    noise = None if within is None else _mean(np.where(n > 1, w, within) / n)  # mean of w / n
    total = _variance(m, score) if tasks > 1 else None
    between = None if total is None or noise is None else total - noise
    n_eff = None
    if total is not None:
        row_variance = _mean((m - score) ** 2 + w * (n - 1) / n)
        n_eff = min(max(row_variance * tasks / total, tasks), count) if total > 0 else float(tasks)
    return Components(
        score=score,
        tasks=tasks,
        rows=count,
        within=within,
        total=total,
        between=between,
        icc=_share(between, within),
        se_super=None if total is None else math.sqrt(total / tasks),
        se_fixed=None if noise is None else math.sqrt(noise / tasks),
        n_eff=n_eff,
        deff=None if n_eff is None else count / n_eff,
    )


def _floats(values: npt.ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values)


def _variance(values: Floats, mean: float) -> float:
    """Sample variance; exactly 0 where the values differ by rounding only."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return 0.0
    return math.fsum(((values - mean) ** 2).tolist()) / (len(values) - 1)


def _share(between: float | None, within: float | None) -> float | None:
    if between is None or within is None or between + within <= 0:
        return None
    return between / (between + within)
