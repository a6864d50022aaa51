"""Rows that another judge scored: a field of the verifier's own record that one run never changes, and this one does.

Which record is the verifier's is not told by its name but by what it holds: a mark that parts the passes of the other
run from its failures. The rows must lie in one stretch of the run, so that their outcome cannot have chosen them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

import polars as pl

from blade.change.gold import rewards_of
from blade.change.pair import Pair
from blade.counting.columns import Column
from blade.counting.order import in_order
from blade.counting.run import Run
from blade.extract.names import VERIFIER, words
from blade.stats import paired

FEWEST_ROWS = 5
FEWEST_TASKS = 3
MOSTLY = 0.9
CHANGED = 0.05
Values = list[Any]
Owned = tuple[dict[str, Values], dict[str, Values]]


@dataclass(frozen=True, slots=True)
class OtherJudge:
    """Where a row's judge is named, who it is, and the rewards of its rows as their tasks scored in the other run."""

    field: str
    value: str
    rows: frozenset[int]
    """Places in the frame of the run that has them."""
    side: str
    rescored_a: tuple[float | None, ...]
    rescored_b: tuple[float | None, ...]
    p: float

    def where(self, pair: Pair) -> dict[str, Any]:
        """The field with its value, and the stretch of the run."""
        ordered, timed = in_order((pair.a if self.side == "a" else pair.b).with_row_index("place"))
        places = [at for at, place in enumerate(ordered["place"].to_list()) if place in self.rows]
        stretch: dict[str, Any] = {"rows": [places[0], places[-1] + 1], "order": "time" if timed else "file"}
        if timed:
            stretch |= {"from": ordered["created_at"][places[0]], "to": ordered["created_at"][places[-1]]}
        return {"field": self.field, "value": self.value, "window": stretch}


def other_judge(pair: Pair, seed: int) -> OtherJudge | None:
    """The rows of another judge whose scores differ most surely from those of their tasks; None without any."""
    left, right = _values(pair.base, pair.a), _values(pair.candidate, pair.b)
    found = []
    for side, (known, told), (there, here) in (
        ("b", (left, right), (pair.a, pair.b)),
        ("a", (right, left), (pair.b, pair.a)),
    ):
        records = _verdict_records(known, there["passed"].to_list())
        for name, rows in _new_values(known, told, here, records):
            judged = _judged(pair, side, name, str(told[name][min(rows)]), rows, seed)
            if judged is not None:
                found.append(judged)
    return min(found, key=lambda one: (one.p, one.field), default=None)


def _values(run: Run, frame: pl.DataFrame) -> dict[str, Values]:
    """Every short field: its value on each row of the frame."""
    places = {place: at for at, place in enumerate(frame.select("file", "line").rows())}
    owners = [places.get(place) for place in run.facts.select("file", "line").rows()]
    return {column.name: _spread(column, owners, frame.height) for column in run.columns}


def _spread(column: Column, owners: list[int | None], height: int) -> Values:
    values: Values = [None] * height
    for row, code in zip(column.rows.tolist(), column.codes.tolist(), strict=True):
        at = owners[row]
        if at is not None:
            values[at] = column.values[code]
    return values


def _record(name: str) -> str:
    return name.rpartition(".")[0]


def _verdict_records(known: dict[str, Values], passed: list[bool | None]) -> set[str]:
    """Records with a number of which every pass has more than any failure."""
    found = set()
    for name, values in known.items():
        sides: tuple[list[float], list[float]] = ([], [])
        for value, good in zip(values, passed, strict=True):
            if isinstance(value, (int, float)) and good is not None:
                sides[bool(good)].append(float(value))
        if _record(name) and min(map(len, sides)) >= FEWEST_ROWS and min(sides[1]) > max(sides[0]):
            found.add(_record(name))
    return found


def _new_values(
    known: dict[str, Values], told: dict[str, Values], here: pl.DataFrame, records: set[str]
) -> Iterator[tuple[str, frozenset[int]]]:
    """Fields of the verifier's record with one value on every row there, and another on a stretch of rows here."""
    tasks, order = here["key"].to_list(), in_order(here.with_row_index("place"))[0]["place"].to_list()
    for name in sorted(known.keys() & told.keys()):
        usual = set(map(str, known[name]))
        if len(usual) != 1 or known[name][0] is None:
            continue
        if _record(name) not in records and VERIFIER.isdisjoint(words(name)):
            continue
        rows = frozenset(
            place for place, value in enumerate(told[name]) if value is not None and str(value) not in usual
        )
        if len(rows) < FEWEST_ROWS or len({tasks[row] for row in rows}) < FEWEST_TASKS:
            continue
        at = [number for number, place in enumerate(order) if place in rows]
        if len(rows) >= MOSTLY * (at[-1] + 1 - at[0]) and len(rows) < MOSTLY * len(tasks):
            yield name, rows


def _judged(pair: Pair, side: str, name: str, value: str, rows: frozenset[int], seed: int) -> OtherJudge | None:
    there, here = (pair.a, pair.b) if side == "b" else (pair.b, pair.a)
    own = here[sorted(rows)]
    common = set(pair.common)
    tasks = sorted(set(own["key"].to_list()) & common)
    before = rewards_of(there, tasks)
    p, _ = paired.label_permutation(before, rewards_of(own, tasks), seed=seed)
    if p is None or p >= CHANGED:
        return None
    means = {task: fsum(values) / len(values) for task, values in zip(tasks, before, strict=True)}
    again = tuple(
        means[key] if place in rows and key in means else reward
        for place, (key, reward) in enumerate(here.select("key", "reward").rows())
    )
    nothing = (None,) * there.height
    sides = (nothing, again) if side == "b" else (again, nothing)
    return OtherJudge(name, value, rows, side, sides[0], sides[1], p)
