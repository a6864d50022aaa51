"""Quantiles between the values in order, and which values are equal.

What numpy gives, to the last bit, for one row of numbers. Its own functions load its masked arrays first, which takes
longer than all that a small analysis asks of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def quantiles(values: Sequence[float] | Floats, shares: Sequence[float]) -> list[float]:
    """The values below which such shares of at least one number lie, between two neighbours in a straight line."""
    ordered = np.sort(np.asarray(values, np.float64))
    last = len(ordered) - 1
    return [_between(ordered, share * last) for share in shares]


def _between(ordered: Floats, place: float) -> float:
    """The value at a place among numbers in order; it is no number where one of them is none."""
    before = int(place)
    low, high = float(ordered[before]), float(ordered[min(before + 1, len(ordered) - 1)])
    part = place - before
    if ordered[-1] != ordered[-1]:
        return float(ordered[-1])
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part


def tied_groups(values: Floats) -> tuple[Integers, Integers]:
    """Of each value the number of its group of equal ones, in order of size; and how many each group has."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    begins = np.ones(len(ordered), np.bool_)
    begins[1:] = (ordered[1:] != ordered[:-1]) & (ordered[:-1] == ordered[:-1])
    groups = np.empty(len(ordered), np.int64)
    groups[order] = np.cumsum(begins) - 1
    return groups, np.diff(np.flatnonzero(begins), append=len(ordered))
