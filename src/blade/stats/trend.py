"""A trend over runs in a known order: does the score rise or fall with it, by the order of the scores alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

EQUAL = 1e-12


def order_statistic(scores: Sequence[float]) -> tuple[int, int]:
    """Pairs of runs of which the later scores higher, and of which it scores lower."""
    pairs = [(after - before) for before, after in combinations(scores, 2)]
    return sum(pair > EQUAL for pair in pairs), sum(pair < -EQUAL for pair in pairs)


def order_p(scores: Sequence[float]) -> float | None:
    """Two-sided exact p of Mann and Kendall: how often a random order is as clear; None below three runs.

    Equal scores count for neither side, against the orders of scores that all differ: p is rather too large then.
    """
    if len(scores) < 3:
        return None
    rises, falls = order_statistic(scores)
    pairs = len(scores) * (len(scores) - 1) // 2
    ways = _inversions(len(scores))
    clear = abs(rises - falls)
    return sum(count for falls, count in enumerate(ways) if abs(pairs - 2 * falls) >= clear) / sum(ways)


def _inversions(length: int) -> list[int]:
    """How many orders of so many things have 0, 1, 2, … pairs in reverse."""
    ways = [1]
    for size in range(2, length + 1):
        ways = [sum(ways[max(0, place - size + 1) : place + 1]) for place in range(len(ways) + size - 1)]
    return ways
