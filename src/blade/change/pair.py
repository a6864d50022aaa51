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

    @cached_property
    def common(self) -> list[str]:
        """Tasks with counted rows in both runs, sorted."""
        return sorted(set(self.a["key"].to_list()) & set(self.b["key"].to_list()))

    def label(self, key: str) -> str:
        """What people call a task."""
        found = self._labels.get(key)
        return key.removeprefix(ONLY_CANDIDATE) if found is None else found

    @cached_property
    def _labels(self) -> dict[str, str]:
        """Task → what the first row that has it calls it, those of the base first."""
        made: dict[str, str] = {}
        for frame in (self.a, self.b):
            for key, label in frame.select("key", "label").unique("key", keep="first").rows():
                made.setdefault(key, str(label))
        return made


def make_pair(base: Run, candidate: Run, alignment: Alignment) -> Pair:
    """Rows as the comparison takes them: copies and foreign rows set aside."""
    a, foreign_a = _rows(base)
    b, foreign_b = _rows(candidate)
    names = {task: alignment.same.get(task, ONLY_CANDIDATE + task) for task in b["task"].unique().to_list()}
    a = a.with_columns(pl.col("task").alias("key"))
    b = b.with_columns(pl.col("task").replace_strict(names, return_dtype=pl.String).alias("key"))
    return Pair(base, candidate, alignment, a, b, {base.name: foreign_a, candidate.name: foreign_b})


def _rows(run: Run) -> tuple[pl.DataFrame, int]:
    kept = run.graded.filter(~pl.col("foreign")) if "foreign" in run.facts.columns else run.graded
    return kept, run.graded.height - kept.height
