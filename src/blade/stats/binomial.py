"""The binomial law where a few lines of it are needed; loading all of scipy.stats for them takes longer than a run."""

from __future__ import annotations

import math

from scipy import special


def sign_p(more: int, fewer: int) -> float:
    """Two-sided p of the sign test: as many rises against falls, or a more uneven split, by the toss of a coin."""
    changed = more + fewer
    if more == fewer:
        return 1.0
    return min(1.0, 2.0 * float(special.bdtr(min(more, fewer), changed, 0.5)))


def quantile(share: float, n: int, p: float) -> int:
    """The fewest successes in n tries that are not exceeded with a chance of `share` or more."""
    if p >= 1.0 or n == 0:
        return n
    most = max(0, math.ceil(special.bdtrik(share, n, p)))
    return most - 1 if most and float(special.bdtr(most - 1, n, p)) >= share else most
