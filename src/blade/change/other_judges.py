"""Rows that another judge scored: a field of the verifier's own record that one run never changes, and this one does.

Which record is the verifier's is not told by its name but by what it holds: a mark that parts the passes of the other
run from its failures. The rows must lie in one stretch of the run, or the other rows must be no better than their tasks
were, so that their outcome cannot have chosen them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from typing import Any

import polars as pl

from blade.change.gold import rewards_of
from blade.change.pair import Pair
from blade.change.verdict_fields import Values, field_values, of_verifier
from blade.counting.order import in_order
from blade.frozen import frozen
from blade.stats import paired

FEWEST_ROWS = 5
FEWEST_TASKS = 3
MOSTLY = 0.9
CHANGED = 0.05
BETTER = 0.2
"""p below which rows of the usual judge count as better than before."""


@frozen
class OtherJudge:
    """Where a row's judge is named, who it is, and the rewards of its rows as their tasks scored in the other run."""

    field: str
    value: str
    rows: frozenset[int]
    """Places in the frame of the run that has them."""
    stretch: bool
    side: str
    rescored_a: tuple[float | None, ...]
    rescored_b: tuple[float | None, ...]
    p: float

    def where(self, pair: Pair) -> dict[str, Any]:
        """The field with its value, and the stretch of the run."""
        if not self.stretch:
            return {"field": self.field, "value": self.value}
        ordered, timed = in_order((pair.a if self.side == "a" else pair.b).with_row_index("place"))
        places = [at for at, place in enumerate(ordered["place"].to_list()) if place in self.rows]
        stretch: dict[str, Any] = {"rows": [places[0], places[-1] + 1], "order": "time" if timed else "file"}
        if timed:
            stretch |= {"from": ordered["created_at"][places[0]], "to": ordered["created_at"][places[-1]]}
        return {"field": self.field, "value": self.value, "window": stretch}


def other_judge(pair: Pair, seed: int) -> OtherJudge | None:
    """The rows of another judge whose scores differ most surely from those of their tasks; None without any."""
    left, right = field_values(pair.base, pair.a), field_values(pair.candidate, pair.b)
    judges = []
    for side, (other_values, own_values), (other_rows, own_rows) in (
        ("b", (left, right), (pair.a, pair.b)),
        ("a", (right, left), (pair.b, pair.a)),
    ):
        verdicts = other_rows["passed"].to_list()
        if True not in verdicts or False not in verdicts:
            continue  # where all fail, or all pass, the word of the verdict is the same in every row too
        records = _verdict_records(other_values, verdicts)
        for name, rows, stretch in _new_values(other_values, own_values, own_rows, records):
            judge = _tested_judge(pair, side, name, str(own_values[name][min(rows)]), rows, seed, stretch=stretch)
            if judge is not None and (stretch or not _rest_is_better(other_rows, own_rows, rows, seed)):
                judges.append(judge)
    return min(judges, key=lambda candidate: (candidate.p, candidate.field), default=None)


def _record(name: str) -> str:
    return name.rpartition(".")[0]


def _verdict_records(columns: dict[str, Values], passed: list[bool | None]) -> set[str]:
    """Records with a number of which every pass has more than any failure."""
    records = set()
    for name, values in columns.items():
        sides: tuple[list[float], list[float]] = ([], [])
        for value, good in zip(values, passed, strict=True):
            if isinstance(value, (int, float)) and good is not None:
                sides[bool(good)].append(float(value))
        if _record(name) and min(map(len, sides)) >= FEWEST_ROWS and min(sides[1]) > max(sides[0]):
            records.add(_record(name))
    return records


def _new_values(
    other_values: dict[str, Values], own_values: dict[str, Values], own_rows: pl.DataFrame, records: set[str]
) -> Iterator[tuple[str, frozenset[int], bool]]:
    """Fields of the verifier's record with one word there; the rows with another here, and if they are a stretch.

    Who judges is named by a word: a number or a flag of the verifier's record is its verdict, or a part of it.
    """
    tasks, order = own_rows["key"].to_list(), in_order(own_rows.with_row_index("place"))[0]["place"].to_list()
    for name in sorted(other_values.keys() & own_values.keys()):
        usual = set(map(str, other_values[name]))
        if len(usual) != 1 or not isinstance(other_values[name][0], str):
            continue
        if _record(name) not in records and not of_verifier(name):
            continue
        rows = frozenset(
            place for place, value in enumerate(own_values[name]) if value is not None and str(value) not in usual
        )
        if len(rows) < FEWEST_ROWS or len({tasks[row] for row in rows}) < FEWEST_TASKS:
            continue
        at = [number for number, place in enumerate(order) if place in rows]
        if len(rows) < MOSTLY * len(tasks):
            yield name, rows, len(rows) >= MOSTLY * (at[-1] + 1 - at[0])


def _rest_is_better(other_rows: pl.DataFrame, own_rows: pl.DataFrame, rows: frozenset[int], seed: int) -> bool:
    """Whether the other rows score more than their tasks do in the other run, as they must if failures were chosen."""
    remaining_rows = own_rows[[place for place in range(own_rows.height) if place not in rows]]
    tasks = sorted(set(remaining_rows["key"].to_list()) & set(other_rows["key"].to_list()))
    before, after = rewards_of(other_rows, tasks), rewards_of(remaining_rows, tasks)
    p, _ = paired.label_permutation(before, after, seed=seed)
    return fsum(paired.task_changes(before, after)) > 0 and (p is None or p < BETTER)


def _tested_judge(
    pair: Pair, side: str, name: str, value: str, rows: frozenset[int], seed: int, *, stretch: bool
) -> OtherJudge | None:
    other_rows, own_rows = (pair.a, pair.b) if side == "b" else (pair.b, pair.a)
    judged_rows = own_rows[sorted(rows)]
    common = set(pair.common)
    tasks = sorted(set(judged_rows["key"].to_list()) & common)
    before = rewards_of(other_rows, tasks)
    p, _ = paired.label_permutation(before, rewards_of(judged_rows, tasks), seed=seed)
    if p is None or p >= CHANGED:
        return None
    means = {task: fsum(values) / len(values) for task, values in zip(tasks, before, strict=True)}
    again = tuple(
        means[key] if place in rows and key in means else reward
        for place, (key, reward) in enumerate(own_rows.select("key", "reward").rows())
    )
    nothing = (None,) * other_rows.height
    sides = (nothing, again) if side == "b" else (again, nothing)
    return OtherJudge(name, value, rows, stretch, side, sides[0], sides[1], p)
