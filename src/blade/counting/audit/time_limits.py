"""Measures of a row that stop just above one value: time that ran out, though no field says so.

A clock is read a moment after the limit, so that the values are near each other and not equal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from blade.counting.columns import Column
from blade.counting.durations import durations, moments
from blade.frozen import frozen

BAND = 0.02
"""A limit is reached by rows that are so near the largest value."""
BELOW = 0.1
FEWEST = 4
FEWEST_TASKS = 3
FEWEST_VALUES = 8
SMALLEST = 5.0
TIMES = 3.0
"""So many times as dense as what lies below it, the band is a heap."""
SELDOM = 0.5
"""Of the rows at a limit so many times as many pass as of the others, or fewer."""
MOST = 0.6


@frozen
class TimeLimit:
    """A field, the smallest value at its limit, and the rows there."""

    field: str
    value: float
    places: frozenset[int]


def time_limits(columns: Iterable[Column], tasks: Sequence[str], passed: Sequence[bool]) -> list[TimeLimit]:
    """The fields whose values heap at the top, in rows of several tasks that seldom pass; the most rows first."""
    limits = []
    for field, values in _measures(columns):
        places = _heaped(values)
        if places and _costs(places, values, passed) and len({tasks[place] for place in places}) >= FEWEST_TASKS:
            limits.append(TimeLimit(field, min(values[place] for place in places), places))
    return sorted(limits, key=lambda limit: (-len(limit.places), limit.field))


def _measures(columns: Iterable[Column]) -> Iterator[tuple[str, dict[int, float]]]:
    """Every field of numbers with fractions, and the seconds between every start and its end."""
    row_moments: defaultdict[int, dict[str, str]] = defaultdict(dict)
    columns = list(columns)
    telling = moments(column.name for column in columns)
    for column in columns:
        if any(isinstance(value, float) and not value.is_integer() for value in column.values):
            yield column.name, _numbers(column)
        elif (
            column.name in telling
            and column.values
            and all(value is None or isinstance(value, str) for value in column.values)
        ):
            for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
                row_moments[row][column.name] = column.values[code]
    between: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for row, fields in row_moments.items():
        for name, seconds in durations(fields).items():
            between[name][row] = seconds
    yield from between.items()


def _numbers(column: Column) -> dict[int, float]:
    number_of = {code: float(value) for code, value in enumerate(column.values) if type(value) in {int, float}}
    pairs = zip(column.rows.tolist(), column.codes.tolist(), strict=True)
    return {row: number_of[code] for row, code in pairs if code in number_of}


def _heaped(values: Mapping[int, float]) -> frozenset[int]:
    """The rows in the band at the top, where it is far denser than what lies below and most rows are smaller."""
    top = max(values.values(), default=0.0)
    if top < SMALLEST or len(set(values.values())) < FEWEST_VALUES:
        return frozenset()
    places = frozenset(row for row, value in values.items() if value >= (1 - BAND) * top)
    below = sum((1 - BELOW) * top <= value < (1 - BAND) * top for value in values.values())
    dense = len(places) / BAND >= TIMES * max(below, 1) / (BELOW - BAND)
    return places if dense and FEWEST <= len(places) <= MOST * len(values) else frozenset()


def _costs(places: frozenset[int], values: Mapping[int, float], passed: Sequence[bool]) -> bool:
    """Whether rows at the top pass far less often than the others: at the top of a score they pass."""
    other_passes = [passed[row] for row in values if row not in places]
    rate_at_limit = sum(passed[row] for row in places) / len(places)
    return bool(other_passes) and rate_at_limit <= SELDOM * sum(other_passes) / len(other_passes)
