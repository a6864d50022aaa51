"""Repeated tasks: one prompt under several tasks, so that it weighs more than the rest.

Where a field holds the instruction of a simulated user, that is what the task asks: the opening words of the
conversation are sampled anew for every attempt.
"""

from __future__ import annotations

import polars as pl

from blade.counting.run import Run
from blade.health import ALL, Context, Item, Unchecked, item
from blade.wording import count, listed

NAMED = 10
"""So many tasks are named in the sentence."""
HALF, FEWEST = 0.5, 5
"""So much of the tasks, and so many of them, under one prompt."""
FEW = 0.05
"""No more than this share of the tasks, and it hardly weighs."""


def unchecked(context: Context) -> Unchecked:
    prompted = [_prompted(run) for run in context.runs]
    if all(rows.is_empty() for rows in prompted):
        return {ALL: "the rows hold no prompt"}
    return {ALL: "most tasks have the same prompt"} if all(map(_asks_one_thing, prompted)) else {}


def _asks_one_thing(prompted: pl.DataFrame) -> bool:
    """Whether one prompt stands under most tasks: what tells them apart (a picture, a file) is then not in the rows."""
    if prompted.is_empty():
        return False
    most = prompted.group_by("asked").agg(pl.col("task").n_unique().alias("tasks"))["tasks"].max()
    return isinstance(most, int) and most >= FEWEST and most > HALF * prompted["task"].n_unique()


def _prompted(run: Run) -> pl.DataFrame:
    """Rows with what they ask, as one number: the instruction, else the whole request; and with their key."""
    instruction = _recorded("instruction", "$.task.instruction").cast(pl.UInt64, strict=False)
    request = pl.when(pl.col("text_hash").is_not_null()).then(pl.col("prompt_hash"))
    actions = _recorded("expected", "$.expected")
    prompted = run.facts.with_columns(
        instruction.alias("instruction"),
        pl.coalesce(instruction, request).alias("asked"),
        pl.coalesce(pl.col("gold_hash").cast(pl.String), actions).alias("key"),
    )
    return prompted.filter(pl.col("asked").is_not_null())


def _recorded(name: str, path: str) -> pl.Expr:
    """What was observed of a row at a path; only records that hold its last name are parsed, and few do."""
    holding = pl.col("observed").str.contains(f'"{name}"', literal=True)
    return pl.when(holding).then(pl.col("observed")).str.json_path_match(path)


def check(context: Context) -> list[Item]:
    """What the run tells of which the most tasks are repeated; the tasks of several runs are mostly the same."""
    items = [told for run in context.runs if (told := _of_run(run)) is not None]
    return sorted(items, key=lambda told: -len(told["tasks"]))[:1]


def _of_run(run: Run) -> Item | None:
    prompted = _prompted(run)
    if _asks_one_thing(prompted):
        return None
    repeats = (
        prompted.with_columns(pl.when(pl.col("instruction").is_null()).then(pl.col("meta_hash")).alias("meta_hash"))
        .group_by("asked", "key", "meta_hash")
        .agg(pl.col("task").n_unique().alias("tasks"), pl.col("label").unique().sort(), pl.first("instruction"))
        .filter(pl.col("tasks") > 1)
    )
    retold = _with_other_tools(prompted)
    if repeats.is_empty():
        return _retold_alone(run, retold)
    tasks = sorted({label for labels in repeats["label"].to_list() for label in labels})
    keyed = repeats["key"].null_count() == 0
    words = ["instruction"] if repeats["instruction"].null_count() == 0 else ["prompt"]
    shared = listed([*words, "expected answer"] if keyed else words)
    verdict = "they are one task counted several times" if keyed else "no row shows an expected answer that differs"
    statement = f"{len(tasks)} tasks of {run.name} share their {shared} with another task"
    task_list = f": {listed(tasks)}" if len(tasks) <= NAMED else ""
    statement += f" ({count(repeats.height, 'group')}{task_list}): {verdict}."
    if not retold.is_empty():
        tool_tasks, tool_groups = retold["tasks"].sum(), count(retold.height, "group")
        statement += (
            f" Whatever tools they offer, {tool_tasks:,} have a request that another task words alike ({tool_groups})."
        )
    severity = "medium" if len(tasks) > FEW * run.facts["task"].n_unique() else "low"
    return item("repeated_tasks", severity, statement, tasks=tasks, run=run.name)


def _with_other_tools(prompted: pl.DataFrame) -> pl.DataFrame:
    """Requests that stand word for word under several tasks which offer other tools, and show no other key."""
    settled = prompted.filter((pl.col("tools_hash").n_unique() == 1).over("task") & pl.col("tools_hash").is_not_null())
    return (
        settled.group_by("asked")
        .agg(
            pl.col("task").n_unique().alias("tasks"),
            pl.col("label").unique().sort(),
            pl.col("tools_hash").n_unique().alias("tool_lists"),
            pl.col("key").drop_nulls().n_unique().alias("keys"),
        )
        .filter((pl.col("tasks") > 1) & (pl.col("tool_lists") > 1) & (pl.col("keys") < 2))
    )


def _retold_alone(run: Run, retold: pl.DataFrame) -> Item | None:
    """Where tasks share their words alone: they are no independent trials, though none is counted twice."""
    if retold.is_empty():
        return None
    tasks = sorted({label for labels in retold["label"].to_list() for label in labels})
    task_list = f": {listed(tasks)}" if len(tasks) <= NAMED else ""
    statement = (
        f"{len(tasks):,} tasks of {run.name} have a request that another task words alike with other tools "
        f"({count(retold.height, 'group')}{task_list}): they hardly count as independent."
    )
    return item("repeated_tasks", "low", statement, tasks=tasks, run=run.name)
