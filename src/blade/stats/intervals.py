"""Intervals for rates and scores. `level` is the nominal coverage; intervals for rates lie inside [0, 1]."""

from __future__ import annotations

import math

from blade.stats.scipy_functions import special


def wilson(successes: float, trials: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a rate. Without trials nothing is known: (0, 1)."""
    _check(successes, trials)
    if trials == 0:
        return 0.0, 1.0
    return _score_interval(successes / trials, trials, _quantile(level, math.inf))


def wilson_t(
    p: float, tasks: int, rows: int, se_super: float | None, level: float = 0.95
) -> tuple[float, float] | None:
    """Wilson's interval for a mean over tasks: t with T-1 degrees of freedom for z, and n_eff for n.

    n_eff = p(1-p) / se_super^2, kept within [T, N]; it is T where the task means do not differ (se_super = 0), as in
    ten passes out of ten. Below two tasks there is no such interval: None.
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"a rate lies between 0 and 1, not at {p}")
    if tasks < 2 or se_super is None:
        return None
    n_eff = float(tasks)
    if se_super > 1e-12:  # below, the task means differ by rounding only
        n_eff = min(max(p * (1.0 - p) / se_super**2, tasks), rows)
    return _score_interval(p, n_eff, _quantile(level, tasks - 1))


def t_interval(mean: float, se: float, df: float, level: float = 0.95) -> tuple[float, float] | None:
    """Mean plus and minus t times se, for scores on their own scale: never clipped. df = inf is the normal interval.

    None below one degree of freedom. With se = 0 the interval is the mean itself, which no sample can promise: see
    unanimous_interval.
    """
    if df < 1:
        return None
    half = _quantile(level, df) * se
    return mean - half, mean + half


def unanimous_interval(value: float, tasks: int, reach: float, level: float = 0.95) -> tuple[float, float]:
    """Interval of a mean over tasks that all showed one value, where none can lie beyond ± reach.

    There is no spread to go by, but the number of tasks says how many may be otherwise and were not drawn: at most
    1 - (1 - level)^(1/T) of all, the exact bound for none of T, about 3/T at 95 %. At worst those lie at one end of
    what can be. A mean outside of this would have shown another task with a chance of at least `level`.
    """
    unseen = 1.0 - (1.0 - level) ** (1.0 / tasks)
    return value - unseen * max(reach + value, 0.0), value + unseen * max(reach - value, 0.0)


def at_level(interval: tuple[float, float], mean: float, tasks: int, level: float) -> tuple[float, float]:
    """An interval of 95 % around a mean over tasks, as it is at another level: of t, or the one of unanimous tasks."""
    low, high = mean - interval[0], interval[1] - mean
    if math.isclose(low, high, rel_tol=1e-6, abs_tol=1e-12):
        factor = _quantile(level, tasks - 1) / _quantile(0.95, tasks - 1)
    else:
        factor = (1.0 - (1.0 - level) ** (1.0 / tasks)) / (1.0 - 0.05 ** (1.0 / tasks))
    return mean - factor * low, mean + factor * high


def _check(successes: float, trials: float) -> None:
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")


def _quantile(level: float, df: float) -> float:
    if not 0.0 < level < 1.0:
        raise ValueError(f"a level lies between 0 and 1, not at {level}")
    upper = (1.0 + level) / 2.0
    return float(special.ndtri(upper) if math.isinf(df) else special.stdtrit(df, upper))


def _score_interval(p: float, n: float, z: float) -> tuple[float, float]:
    scale = 1.0 + z * z / n
    centre = (p + z * z / (2.0 * n)) / scale
    half = z / scale * math.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
    # at p = 0 and p = 1 the interval touches p, but for rounding
    return max(0.0, min(centre - half, p)), min(1.0, max(centre + half, p))
