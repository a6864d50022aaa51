"""Two means that may have different spreads: Welch's t. Sums are exact (fsum), so the order of values does not matter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special


@dataclass(frozen=True, slots=True)
class Welch:
    first: float  # mean
    second: float
    t: float  # (first - second) / sqrt(v1/n1 + v2/n2); infinite if neither side varies and the means differ
    df: float  # Welch-Satterthwaite; n1 + n2 - 2 if neither side varies
    p: float  # two-sided


def welch(first: Sequence[float], second: Sequence[float]) -> Welch | None:
    """Welch's test of the means of two lists; None unless both have two values. Two equal constants: t = 0, p = 1."""
    if min(len(first), len(second)) < 2:
        return None
    (m1, e1), (m2, e2) = _mean_and_error(first), _mean_and_error(second)
    if e1 + e2 == 0:
        same = math.isclose(m1, m2, rel_tol=1e-12, abs_tol=1e-15)
        t = 0.0 if same else math.copysign(math.inf, m1 - m2)
        return Welch(m1, m2, t, float(len(first) + len(second) - 2), 1.0 if same else 0.0)
    t = (m1 - m2) / math.sqrt(e1 + e2)
    df = (e1 + e2) ** 2 / (e1**2 / (len(first) - 1) + e2**2 / (len(second) - 1))
    return Welch(m1, m2, t, df, float(2.0 * special.stdtr(df, -abs(t))))


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its squared standard error, which is exactly 0 where the values differ by rounding only."""
    mean = math.fsum(values) / len(values)
    low, high = min(values), max(values)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return mean, 0.0
    return mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)
