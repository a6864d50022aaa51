"""Two runs side by side: their counted rows under common task names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from blade.counting.align import Alignment
from blade.counting.run import Run

ONLY_CANDIDATE = "\0candidate:"
"""Prefix of a task that only the candidate has, so that it cannot be taken for one of the base."""


@dataclass(frozen=True, slots=True)
class Pair:
    """`a` and `b` are the counted rows (foreign rows set aside), with `key` as the common name of the task."""

    base: Run
    candidate: Run
    alignment: Alignment
    a: pl.DataFrame
    b: pl.DataFrame
    foreign: Mapping[str, int]

    @property
    def common(self) -> list[str]:
        """Tasks with counted rows in both runs, sorted."""
        return sorted(set(self.a["key"].to_list()) & set(self.b["key"].to_list()))

    def label(self, key: str) -> str:
        """What people call a task."""
        for frame in (self.a, self.b):
            rows = frame.filter(pl.col("key") == key)
            if rows.height:
                return str(rows["label"][0])
        return key.removeprefix(ONLY_CANDIDATE)


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
