"""Two runs side by side: their counted rows under common task names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from blade.counting.align import Alignment
from blade.counting.run import Run

ONLY_CANDIDATE = "\0candidate:"
"""Prefix of a task that only the candidate has, so that it cannot be taken for one of the base."""


@dataclass(frozen=True, eq=False)
class Pair:
    """`a` and `b` are the counted rows (foreign rows set aside), with `key` as the common name of the task."""

    base: Run
    candidate: Run
    alignment: Alignment
    a: pl.DataFrame
    b: pl.DataFrame
    foreign: Mapping[str, int]
    displaced: frozenset[str] = frozenset()
    """Tasks set aside in both runs, because one of them has nothing but foreign rows of them."""
    with_foreign: frozenset[str] = frozenset()
    """All tasks that have foreign rows in either run."""

    @cached_property
    def common(self) -> list[str]:
        """Tasks with counted rows in both runs, sorted."""
        return sorted(set(self.a["key"].to_list()) & set(self.b["key"].to_list()))

    def label(self, key: str) -> str:
        """What people call a task."""
        name = self._labels.get(key)
        return key.removeprefix(ONLY_CANDIDATE) if name is None else name

    @cached_property
    def _labels(self) -> dict[str, str]:
        """Task → what the first row that has it calls it, those of the base first."""
        labels: dict[str, str] = {}
        base_rows = self.base.facts.with_columns(pl.col("task").alias("key"))
        for frame in (self.a, self.b, base_rows):
            for key, label in frame.select("key", "label").unique("key", keep="first").rows():
                labels.setdefault(key, str(label))
        return labels


def make_pair(base: Run, candidate: Run, alignment: Alignment) -> Pair:
    """Rows as the comparison takes them: copies and foreign rows set aside.

    A task that only foreign rows show in one run is set aside in the other as well: it did not leave the benchmark.
    """
    names = {
        task: alignment.same.get(task, ONLY_CANDIDATE + task) for task in candidate.facts["task"].unique().to_list()
    }
    a = base.graded.with_columns(pl.col("task").alias("key"))
    b = candidate.graded.with_columns(pl.col("task").replace_strict(names, return_dtype=pl.String).alias("key"))
    foreign = foreign_tasks(base, {}), foreign_tasks(candidate, names)
    displaced = (foreign[0] - set(a["key"].to_list())) | (foreign[1] - set(b["key"].to_list()))
    return Pair(
        base,
        candidate,
        alignment,
        a.filter(~pl.col("key").is_in(sorted(displaced))),
        b.filter(~pl.col("key").is_in(sorted(displaced))),
        {run.name: int(run.facts["foreign"].sum()) for run in (base, candidate)},
        frozenset(displaced),
        foreign[0] | foreign[1],
    )


def foreign_tasks(run: Run, names: Mapping[str, str]) -> frozenset[str]:
    """The common names of the tasks that have foreign rows."""
    tasks = run.facts.filter(pl.col("foreign") & pl.col("reward").is_not_null())["task"].unique().to_list()
    return frozenset(names.get(task, task) for task in tasks)
