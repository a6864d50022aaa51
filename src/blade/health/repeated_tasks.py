"""Repeated tasks: one prompt under several tasks, so that it weighs more than the rest."""

from __future__ import annotations

import polars as pl

from blade.counting.run import Run
from blade.health import ALL, Context, Item, Unchecked, item
from blade.wording import count


def unchecked(context: Context) -> Unchecked:
    return {ALL: "the rows hold no prompt"} if _prompted(context.runs[0]).is_empty() else {}


def _prompted(run: Run) -> pl.DataFrame:
    return run.facts.filter(pl.col("prompt_hash").is_not_null() & pl.col("text_hash").is_not_null())


def check(context: Context) -> list[Item]:
    run = context.runs[0]
    repeats = (
        _prompted(run)
        .group_by("prompt_hash", "gold_hash", "meta_hash")
        .agg(pl.col("task").n_unique().alias("tasks"), pl.col("label").unique().sort())
        .filter(pl.col("tasks") > 1)
    )
    if repeats.is_empty():
        return []
    tasks = sorted({label for labels in repeats["label"].to_list() for label in labels})
    keyed = repeats["gold_hash"].null_count() == 0
    shared = "prompt and expected answer" if keyed else "prompt"
    verdict = "they are one task counted several times" if keyed else "no row shows an expected answer that differs"
    statement = f"{len(tasks)} tasks of {run.name} share their {shared} with another task"
    statement += f" ({count(repeats.height, 'group')}): {verdict}."
    return [item("repeated_tasks", "medium", statement, tasks=tasks, run=run.name)]
