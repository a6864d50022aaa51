"""What a run comes to, task by task, from a few slim columns: for runs that are still written, or too large to hold.

The same copies are left out as in a full analysis, but nothing that needs a look at the whole run is decided here: a
task without an index is told by its content, and rows of another model are counted with the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from blade.counting.duplicates import mark_duplicates
from blade.counting.identity import number_attempts

SLICE = "slice: "
_CONTENT = ("text_hash", "gold_hash", "meta_hash")


def task_key(match_by: str | None = None) -> pl.Expr:
    """A number for a row's task: its index, else a field that was named, its content, or a number of its own."""
    content = pl.struct(*_CONTENT).hash(1)
    has_content = pl.any_horizontal(pl.col("text_hash", "gold_hash").is_not_null())
    index = pl.col("task_index").cast(pl.UInt64, strict=False)
    field = [pl.col("fields").str.json_path_match(f"$['{match_by}']")] if match_by else []
    named_keys = [pl.when(value.is_not_null()).then(value.hash(1)) for value in field]
    return pl.coalesce(index, *named_keys, pl.when(has_content).then(content), pl.col("row_hash")).alias("task")


def slim_rows(
    facts: pl.DataFrame, file: int = 0, slices: Sequence[str] = (), match_by: str | None = None
) -> pl.DataFrame:
    """The columns that counting needs: some hundred bytes a rollout."""
    broken = pl.col("signals").list.eval(pl.element().str.starts_with("infrastructure|hard|")).list.any()
    response_empty = (pl.col("response_state") == "empty") | (
        (pl.col("response_state") == "absent") & (pl.col("reward_problem") != "absent")
    )
    silent = pl.col("reward").is_null() & response_empty & pl.col("output_hash").is_null()
    levels = [pl.col("fields").str.json_path_match(f"$['{name}']").alias(SLICE + name) for name in slices]
    return facts.select(
        task_key(match_by),
        "attempt_index",
        "created_at",
        "row_hash",
        "output_hash",
        "reward",
        "skipped",
        pl.lit(file, pl.Int32).alias("file"),
        "line",
        (broken | silent).fill_null(value=False).alias("broken"),
        *levels,
    )


def slim_inputs(inputs: pl.DataFrame) -> pl.DataFrame:
    """How many rollouts each task was to have; nothing where the inputs do not name their tasks by index."""
    if inputs["task_index"].null_count():
        return pl.DataFrame(schema={"task": pl.UInt64, "expected": pl.UInt32})
    return inputs.group_by(task_key()).agg(pl.len().alias("expected"))


def per_task(rows: pl.DataFrame, threshold: float = 1.0) -> pl.DataFrame:
    """One row per task: its rollouts and copies, those graded with the sum of their rewards, passes, broken ones."""
    numbered = number_attempts(rows).with_columns(pl.col("task").alias("label"))
    marked, _ = mark_duplicates(numbered)
    is_own = ~pl.col("copy")
    graded = is_own & pl.col("reward").is_not_null() & ~pl.col("skipped")
    reward = pl.col("reward").filter(graded)
    levels = [pl.col(name).drop_nulls().first() for name in rows.columns if name.startswith(SLICE)]
    return marked.group_by("task").agg(
        is_own.sum().alias("rollouts"),
        pl.col("copy").sum().alias("copies"),
        graded.sum().alias("n"),
        reward.sum().alias("total"),
        (reward >= threshold - 1e-6).sum().alias("passes"),
        ((reward.abs() <= 1e-6) | ((reward - 1).abs() <= 1e-6)).all().alias("binary"),
        reward.is_between(-1e-6, 1 + 1e-6).all().alias("unit"),
        (pl.col("broken") & is_own).sum().alias("broken"),
        *levels,
    )


def declare(totals: pl.DataFrame, inputs: pl.DataFrame | None, repeats: int | None = None) -> pl.DataFrame:
    """The tasks with how many rollouts each should have: by the inputs, else by what was declared, else unknown.

    Tasks that the inputs name and that have no rollout come as rows of their own.
    """
    if inputs is not None and inputs.height:
        return _filled(totals.join(inputs, on="task", how="full", coalesce=True))
    return totals.with_columns(pl.lit(repeats, pl.UInt32).alias("expected"))


def add_unseen(task_totals: pl.DataFrame, repeats: int | None, limit: int | None) -> pl.DataFrame:
    """The tasks that only a declared limit speaks of."""
    unseen = (limit or 0) - int(task_totals["count"].sum())
    if repeats is None or unseen <= 0:
        return task_totals
    blank = pl.DataFrame({"expected": [repeats], "count": [unseen]}, schema_overrides={"expected": pl.UInt32})
    return _filled(pl.concat([task_totals, blank], how="diagonal"))


def _filled(totals: pl.DataFrame) -> pl.DataFrame:
    counts = ("rollouts", "copies", "n", "total", "passes", "broken")
    return totals.with_columns(pl.col(counts).fill_null(0), pl.col("binary", "unit").fill_null(value=True))


def gather(totals: pl.DataFrame) -> pl.DataFrame:
    """Tasks that came out alike, counted: few rows, however many tasks there are."""
    by = [name for name in totals.columns if name not in {"task", "count"}]
    count = pl.col("count").sum() if "count" in totals.columns else pl.len().cast(pl.Int64).alias("count")
    return totals.group_by(by).agg(count).sort(by)
