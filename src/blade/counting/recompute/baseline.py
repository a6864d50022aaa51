"""The statistics that every aggregate has: mean, max, min, median and std of each numeric column."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from blade.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from blade.counting.recompute.rows import ScoredRow

STATS = ("mean", "max", "min", "median", "std")


@frozen
class Description:
    """Statistics by key (`mean/reward`) and, per column, the largest absolute value, which scales the rounding."""

    values: Mapping[str, float]
    scales: Mapping[str, float]


def describe(rows: Sequence[ScoredRow]) -> Description:
    """Every `stat/column` of the rows.

    A value that is not a number is left out, column by column. The deviation divides by n - 1 and is left out where a
    column has one value, unless every column has: then it is 0 for the columns that no row lacks.
    """
    columns = gather(row.numbers for row in rows)
    values: dict[str, float] = {}
    for name, column in columns.items():
        values |= {f"{stat}/{name}": value for stat, value in _stats(column).items()}
    if not any(key.startswith("std/") for key in values):
        values |= {f"std/{name}": 0.0 for name, column in columns.items() if len(column) == len(rows)}
    scales = {name: max(map(abs, column)) for name, column in columns.items()}
    return Description(values, scales)


def gather(rows: Iterable[Mapping[str, float]]) -> dict[str, list[float]]:
    """The numeric columns, each without its gaps."""
    columns: defaultdict[str, list[float]] = defaultdict(list)
    for numbers in rows:
        for name, value in numbers.items():
            if not math.isnan(value):
                columns[name].append(value)
    return dict(columns)


def mean(column: Sequence[float]) -> float:
    return total(column) / len(column)


def total(column: Iterable[float]) -> float:
    """The exact sum; where the numbers are too large or infinite, what plain addition gives."""
    column = list(column)
    try:
        return math.fsum(column)
    except (OverflowError, ValueError):
        return sum(column)


def deviation(column: Sequence[float]) -> float | None:
    """The sample standard deviation (n - 1), or nothing where it is not defined."""
    if len(column) < 2:
        return None
    centre = mean(column)
    spread = math.sqrt(total((value - centre) * (value - centre) for value in column) / (len(column) - 1))
    return None if math.isnan(spread) else spread


def median(column: Sequence[float]) -> float:
    ordered = sorted(column)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def _stats(column: Sequence[float]) -> dict[str, float]:
    statistics = {"mean": mean(column), "max": max(column), "min": min(column), "median": median(column)}
    spread = deviation(column)
    if spread is not None:
        statistics["std"] = spread
    return {stat: value for stat, value in statistics.items() if not math.isnan(value)}
