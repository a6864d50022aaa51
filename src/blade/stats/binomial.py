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


def more_often_p(hits: int, tries: int, other_hits: int, other_tries: int) -> float:
    """One-sided p of Fisher's exact test: so many hits here, or more, if both groups had one rate."""
    both, all_tries = hits + other_hits, tries + other_tries
    if not hits or not other_tries:
        return 1.0
    most = min(both, tries)
    ways = [_log_ways(all_tries, tries, both, some) for some in range(hits, most + 1)]
    return min(1.0, math.fsum(map(math.exp, ways)))


def _log_ways(whole: int, drawn: int, marked: int, some: int) -> float:
    """The logarithm of the hypergeometric chance of `some` marked among those drawn."""
    if drawn - some > whole - marked:
        return -math.inf
    return _log_choose(marked, some) + _log_choose(whole - marked, drawn - some) - _log_choose(whole, drawn)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
