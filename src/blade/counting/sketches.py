"""What the tasks of a run show of themselves to another run: text, expected answer, index, ids.

A text that differs between the attempts of one task is no task's text: a simulated user or a sampler wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import polars as pl

from blade.counting.columns import Column
from blade.counting.expected import input_tasks
from blade.counting.fields import field_rows, names
from blade.counting.identity import spoken
from blade.counting.run import Run
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.task_names import ID_FIELDS

FEWEST_REPEATED = 3
"""Repeated tasks from which on texts that never vary are the tasks' own, whoever speaks later on."""
SAMPLED = 0.2
"""Share of the repeated tasks whose text varies, from which on no text of the run is believed."""
MOSTLY = 0.9
"""Share of the tasks that must have an id, a text, and one of their own."""
_ID_NAME = late_regex(r"(?:^|[._])(?:id|uid|uuid|guid|hashid|idx)$", re.IGNORECASE)


@frozen
class Sketch:
    """What one task shows of itself."""

    text: int | None
    gold: int | None
    index: int | None


class Sketches:
    """The tasks of one run, with what tells them from each other."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tasks, self.text_varies, self.text_stays = _sketched(run)
        self.rows = frozenset(run.facts["task"].to_list())

    @cached_property
    def ids(self) -> dict[str, dict[str, str]]:
        """Field → {task: id} for every id that most tasks have and each has for itself; the known ids come first."""
        fields = {column.name for column in self.run.columns} | set(self._input_fields)
        known_names = [name for name in ID_FIELDS if name in fields]
        other_names = sorted(name for name in fields if name not in ID_FIELDS and _ID_NAME.search(name))
        ids_by_field = {name: self.one_per_task(name) for name in (*known_names, *other_names)}
        return {name: ids for name, ids in ids_by_field.items() if ids is not None}

    def one_per_task(self, name: str) -> dict[str, str] | None:
        """Task → its value of a field, where that names most tasks and no two of them alike."""
        values = self.values(name)
        ids = {task: next(iter(task_values)) for task, task_values in values.items() if len(task_values) == 1}
        if len(ids) < len(values) or len(set(ids.values())) < len(ids) or not ids:
            return None
        return ids if len(self.rows & ids.keys()) >= MOSTLY * len(self.rows) else None

    def values(self, name: str) -> dict[str, set[str]]:
        """Task → the values of a field on its rows, as text; nothing of a field that holds measures or flags."""
        values: dict[str, set[str]] = {}
        for task, value in self._own_values(name):
            if isinstance(value, (bool, float)):
                return {}
            if value is not None:
                values.setdefault(task, set()).add(str(value))
        return values

    def _own_values(self, name: str) -> Iterator[tuple[str, Any]]:
        column = self._columns.get(name)
        if column is not None:
            pairs = zip(column.rows.tolist(), column.codes.tolist(), strict=True)
            yield from dict.fromkeys((self._owners[row], column.values[code]) for row, code in pairs)
        for task, fields in self._input_rows if name in self._input_fields else ():
            yield task, fields.get(name)

    @cached_property
    def _columns(self) -> dict[str, Column]:
        return {column.name: column for column in self.run.columns}

    @cached_property
    def _owners(self) -> list[str]:
        return self.run.facts["task"].to_list()

    @cached_property
    def _input_rows(self) -> list[tuple[str, dict[str, Any]]]:
        if not self.run.inputs.height:
            return []
        return list(zip(input_tasks(self.run.facts, self.run.inputs), field_rows(self.run.inputs), strict=True))

    @cached_property
    def _input_fields(self) -> list[str]:
        return names(fields for _, fields in self._input_rows)

    def numbered(self, ids: Mapping[str, str]) -> bool:
        """Whether an id only repeats the index."""
        pairs = [(value, self.tasks[task].index) for task, value in ids.items() if task in self.tasks]
        indexed = [(value, index) for value, index in pairs if index is not None]
        return bool(indexed) and all(value == str(index) for value, index in indexed)

    @cached_property
    def spoken(self) -> bool:
        """Whether somebody else spoke in most rollouts: then the opening may be theirs, too."""
        return spoken(self.run.facts)

    @cached_property
    def setting(self) -> frozenset[tuple[str, int]]:
        """The system prompt and the tools that most rows have."""
        settings = set()
        for name in ("system_hash", "tools_hash"):
            counts = self.run.facts[name].drop_nulls().value_counts().sort("count", name, descending=True).rows()
            if counts and counts[0][1] * 2 > self.run.facts.height:
                settings.add((name, counts[0][0]))
        return frozenset(settings)


def _sketched(run: Run) -> tuple[dict[str, Sketch], bool, bool]:
    """One sketch per task, whether texts vary within tasks, and whether they stay the same over repeated attempts.

    The materialized inputs speak before the rows.
    """
    task_rows = _of_tasks(run.facts)
    repeated = [texts for _, texts, rows, *_ in task_rows.values() if rows > 1]
    varies = sum(texts > 1 for texts in repeated) > SAMPLED * len(repeated)
    sketches = {
        task: Sketch(text if texts == 1 and not varies else None, gold if golds == 1 else None, index)
        for task, (text, texts, _, gold, golds, index) in task_rows.items()
    }
    if run.inputs.height:
        tasks = input_tasks(run.facts, run.inputs)
        for task, (text, _, _, gold, _, index) in _of_tasks(run.inputs.with_columns(pl.Series("task", tasks))).items():
            row_sketch = sketches.get(task)
            sketches[task] = (
                Sketch(text or row_sketch.text, row_sketch.gold or gold, index)
                if row_sketch
                else Sketch(text, gold, index)
            )
    return sketches, varies, len(repeated) >= FEWEST_REPEATED and not any(texts > 1 for texts in repeated)


def _of_tasks(frame: pl.DataFrame) -> dict[str, tuple[Any, ...]]:
    """Task → its first text, how many texts on how many rows, its first expected answer, how many, its index."""
    text, gold = pl.col("text_hash").drop_nulls(), pl.col("gold_hash").drop_nulls()
    grouped = frame.group_by("task", maintain_order=True).agg(
        text.first().alias("text"),
        text.n_unique().alias("texts"),
        text.len().alias("rows"),
        gold.first().alias("gold"),
        gold.n_unique().alias("golds"),
        pl.col("task_index").first().alias("index"),
    )
    return {task: tuple(aggregates) for task, *aggregates in grouped.rows()}


def unique(keys: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Task → key of the keys that one task alone has."""
    owners: dict[int, list[str]] = {}
    for task, key in keys:
        owners.setdefault(key, []).append(task)
    return {tasks[0]: key for key, tasks in owners.items() if len(tasks) == 1}
