"""Order leak: scores that drift with the order in which rollouts finished, task difficulty aside."""

from __future__ import annotations

import polars as pl

from blade.health import Context, Item, Unchecked, item
from blade.stats.health import order_trend

FEWEST_ROWS = 40
SURE = 0.001


def unchecked(context: Context) -> Unchecked:
    return {run.name: reason for run in context.runs if (reason := _too_few(run.evaluable))}


def _too_few(rows: pl.DataFrame) -> str:
    if rows.height < FEWEST_ROWS:
        return f"fewer than {FEWEST_ROWS} rollouts were judged"
    return "fewer than two attempts a task" if rows.height < 2 * rows["task"].n_unique() else ""


def check(context: Context) -> list[Item]:
    findings = []
    for run in context.runs:
        rows = run.evaluable
        if _too_few(rows):
            continue
        rows = rows.with_columns((pl.col("reward") - pl.col("reward").mean().over("task")).alias("residual"))
        timed = rows["created_at"].null_count() == 0 and rows["created_at"].n_unique() > 2
        ordered = rows.sort("created_at", "row_hash") if timed else rows.sort("file", "line")
        trend = order_trend(ordered["residual"].to_list())
        if trend is not None and trend.p < SURE:
            direction = "fall" if trend.correlation < 0 else "rise"
            order = "time" if timed else "the file"
            statement = (
                f"Scores of {run.name} {direction} in the order of {order} beyond what its tasks explain "
                f"(rank correlation {trend.correlation:+.2f}, p = {trend.p:.2g}): state may leak between rollouts."
            )
            findings.append(item("order_leak", "medium", statement, run=run.name))
    return findings
