"""Limits that nobody names: many rows stop at the same largest count of turns, calls or tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

COUNTS = {
    "acts": "turns of the model",
    "calls": "calls",
    "messages": "messages",
    "items": "items",
    "output_tokens": "output tokens",
    "total_tokens": "tokens",
}
FEWEST = 4
SMALLEST = 5
TIMES = 3.0
"""So many times as common as the values just below it, a largest value is a heap."""
BELOW = 0.1


@dataclass(frozen=True, slots=True)
class Limit:
    """A count at which rows heap: its column, the value, the rows there, how many of them passed."""

    count: str
    value: float
    rows: int
    passed: int


def limits(frame: pl.DataFrame) -> list[Limit]:
    """The heaps at the largest value of each count, the largest first; of two in the same rows, one alone."""
    rows = frame.filter(~pl.col("copy"))
    passes = rows["passed"].to_list()
    found: list[tuple[Limit, frozenset[int]]] = []
    for name in COUNTS:
        values = rows[name].to_list()
        value = heap(values)
        if value is None:
            continue
        places = frozenset(place for place, one in enumerate(values) if one == value)
        found.append((Limit(name, value, len(places), sum(bool(passes[place]) for place in places)), places))
    found.sort(key=lambda pair: -pair[0].rows)
    return [
        limit
        for at, (limit, places) in enumerate(found)
        if not any(2 * len(places & others) > len(places) for _, others in found[:at])
    ]


def heap(values: Sequence[float | None]) -> float | None:
    """The largest value, where it is far commoner than the values just below it and others are smaller."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    counts = Counter(known)
    top = max(known)
    width = max(3.0, BELOW * top)
    below = sum(many for value, many in counts.items() if top - width <= value < top)
    if top < SMALLEST or counts[top] < FEWEST or counts[top] > len(known) / 2:
        return None
    return top if counts[top] >= TIMES * max(below / width, 1.0) else None
