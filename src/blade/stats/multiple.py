"""Many p-values at once, adjusted so that each can be held against one level. Order is kept; none in, none out."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p: Sequence[float]) -> list[float]:
    """Holm: the i-th smallest of m becomes the largest (m - j + 1) p_(j) over j <= i, at most 1.

    At most this level is the chance of any false one among those below it, however the tests depend on each other.
    """
    order = _ascending(p)
    adjusted, floor = [1.0] * len(p), 0.0
    for rank, index in enumerate(order):
        floor = max(floor, min((len(p) - rank) * p[index], 1.0))
        adjusted[index] = floor
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg: the i-th smallest of m becomes the smallest m p_(j) / j over j >= i, at most 1.

    Among those at or below q, a share of q is expected to be false, if the tests are independent or go together.
    """
    order = _ascending(p)
    adjusted, ceiling = [1.0] * len(p), 1.0
    for rank in range(len(p), 0, -1):
        index = order[rank - 1]
        ceiling = min(ceiling, len(p) * p[index] / rank)
        adjusted[index] = ceiling
    return adjusted


def _ascending(p: Sequence[float]) -> list[int]:
    if not all(0.0 <= value <= 1.0 for value in p):
        raise ValueError("a p-value lies between 0 and 1")
    return sorted(range(len(p)), key=p.__getitem__)
