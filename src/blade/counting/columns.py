"""The fields of the rows column by column: each different value once, and which of them stands on a row.

What is counted about a field depends on its values and not on its rows, so that millions of rows cost what their few
different values cost.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import count
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from blade.counting.fields import Fields
from blade.frozen import frozen

Codes = npt.NDArray[np.int64]
STRETCH = 2000
"""Rows that are taken apart at a time: so few that they stay at hand while their columns are made."""
_ABSENT = object()
_KINDS = {str, bool, int, float, type(None)}


@frozen
class Column:
    """One field: its values, apart by type and spelling, and of the rows that have it their place and their value."""

    name: str
    values: list[Any]
    rows: Codes
    codes: Codes

    def spelled_apart(self) -> bool:
        """Whether the values are all of one type, so that no two of them are written alike."""
        return len(set(map(type, self.values))) == 1

    def types(self) -> dict[str, int]:
        """How many rows have a value of each type."""
        counts: Counter[str] = Counter()
        for value, rows in zip(self.values, self.counts().tolist(), strict=True):
            counts["null" if value is None else type(value).__name__] += rows
        return dict(sorted(counts.items()))

    def numbers(self) -> int:
        """On how many rows it is a number, or true or false."""
        counts = zip(self.values, self.counts().tolist(), strict=True)
        return sum(rows for value, rows in counts if isinstance(value, (bool, int, float)))

    def counts(self) -> Codes:
        return np.bincount(self.codes, minlength=len(self.values))


def columns(rows: Sequence[Fields]) -> Iterator[Column]:
    """Every field that stands on at least one row, in order of name."""
    columns_by_name: dict[str, _Column] = {}
    for start in range(0, len(rows), STRETCH):
        stretch = rows[start : start + STRETCH]
        for name in set().union(*stretch):
            if name not in columns_by_name:
                columns_by_name[name] = _Column()
            columns_by_name[name].add(start, _cells(name, stretch))
    for name in sorted(columns_by_name):
        yield columns_by_name[name].made(name) or _spelled(name, rows)


def _cells(name: str, rows: Sequence[Fields]) -> list[Any]:
    try:
        return list(map(itemgetter(name), rows))
    except KeyError:
        return [row.get(name, _ABSENT) for row in rows]


def number(values: Sequence[Hashable]) -> tuple[list[Any], Codes]:
    """The different values in order of appearance, and the number of each value among them."""
    place = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return list(place), np.fromiter(map(place.__getitem__, values), np.int64, len(values))


def constant(groups: Codes, codes: Codes) -> bool:
    """Whether no group has two different codes."""
    if not len(groups):
        return True
    first = np.full(int(groups.max()) + 1, -1, dtype=np.int64)
    first[groups[::-1]] = codes[::-1]
    return bool((first[groups] == codes).all())


def firsts(groups: Codes) -> Codes:
    """The place of the first of each group, in order of place."""
    first = np.full(int(groups.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]
    return np.sort(first[first >= 0])


class _Column:
    """A column as it grows, stretch by stretch: its values are told apart by being equal."""

    def __init__(self) -> None:
        self.place: defaultdict[Any, int] = defaultdict(count().__next__)
        self.kinds: set[type] = set()
        self.rows: list[Codes] = []
        self.codes: list[Codes] = []

    def add(self, start: int, cells: list[Any]) -> None:
        kinds = set(map(type, cells))
        rows = np.arange(start, start + len(cells))
        if object in kinds:
            rows = rows[[cell is not _ABSENT for cell in cells]]
            cells = [cell for cell in cells if cell is not _ABSENT]
        self.kinds |= kinds - {object}
        if self.kinds <= _KINDS:
            self.rows.append(rows)
            self.codes.append(np.fromiter(map(self.place.__getitem__, cells), np.int64, len(cells)))

    def made(self, name: str) -> Column | None:
        """None where equal values are of two types or spelled in two ways: 1, 1.0 and true, or 0.0 and -0.0."""
        if not self.kinds <= _KINDS or len(self.kinds & {bool, int, float}) > 1:
            return None
        if float in self.kinds and 0.0 in self.place:
            return None
        return Column(name, list(self.place), np.concatenate(self.rows), np.concatenate(self.codes))


def _spelled(name: str, rows: Sequence[Fields]) -> Column:
    """A column whose values are told apart by type and spelling."""
    present = [(place, row[name]) for place, row in enumerate(rows) if name in row]
    keys, codes = number([(type(value), str(value)) for _, value in present])
    value_of = {(type(value), str(value)): value for _, value in reversed(present)}
    return Column(name, [value_of[key] for key in keys], np.array([place for place, _ in present]), codes)
