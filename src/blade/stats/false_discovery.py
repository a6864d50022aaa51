"""How many of the things found are expected to be false: the adjustment of Benjamini and Hochberg."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def bh_adjusted(p_values: Sequence[float]) -> list[float]:
    """q_(i) = min over j >= i of p_(j) m / j, in the order given; equal p have equal q. Empty for no p.

    Taking all with q <= .10 keeps the expected share of false ones among them at .10 or below.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not len(p):
        return []
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("a p-value lies between 0 and 1")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty_like(p)
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return [float(value) for value in q]
