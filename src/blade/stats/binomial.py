"""The binomial law where a few lines of it are needed; loading all of scipy.stats for them takes longer than a run."""

from __future__ import annotations

import math

from blade.stats.scipy_functions import special


def sign_p(rises: int, fewer: int) -> float:
    """Two-sided p of the sign test: as many rises against falls, or a more uneven split, by the toss of a coin."""
    changed = rises + fewer
    if rises == fewer:
        return 1.0
    return min(1.0, 2.0 * float(special.bdtr(min(rises, fewer), changed, 0.5)))


def quantile(share: float, n: int, p: float) -> int:
    """The fewest successes in n tries that are not exceeded with a chance of `share` or more."""
    if p >= 1.0 or n == 0:
        return n
    number = max(0, math.ceil(special.bdtrik(share, n, p)))
    return number - 1 if number and float(special.bdtr(number - 1, n, p)) >= share else number


def more_often_p(hits: int, tries: int, other_hits: int, other_tries: int) -> float:
    """One-sided p of Fisher's exact test: so many hits here, or more, if both groups had one rate."""
    all_hits, all_tries = hits + other_hits, tries + other_tries
    if not hits or not other_tries:
        return 1.0
    largest = min(all_hits, tries)
    log_chances = [_log_ways(all_tries, tries, all_hits, hit_count) for hit_count in range(hits, largest + 1)]
    return min(1.0, math.fsum(map(math.exp, log_chances)))


def _log_ways(population: int, sample: int, marked: int, hit_count: int) -> float:
    """The logarithm of the hypergeometric chance of `hit_count` marked among those drawn."""
    if sample - hit_count > population - marked:
        return -math.inf
    return (
        _log_choose(marked, hit_count)
        + _log_choose(population - marked, sample - hit_count)
        - _log_choose(population, sample)
    )


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
