"""Token statistics by outcome, and how rollouts end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

KINDS = ("input", "output", "reasoning")
GROUPS = ("all", "pass", "fail")
CLOSING = "closing tool"
FEWEST_CLOSING = 3
NEARLY_ALWAYS = 0.9


def token_statistics(rows: pl.DataFrame) -> dict[str, Any]:
    """Medians over all rows, passes and fails, each with its n. Zero, null and absent counts are unknown.

    A usage that cannot hold what the model wrote is of a part of the rollout, and counts nowhere.
    """
    every, rows = rows, rows.filter(~pl.col("usage_is_partial").fill_null(value=False))
    selections = {
        f"{kind} {group}": values
        for kind in KINDS
        for group, in_group in (("all", True), ("pass", pl.col("passed")), ("fail", ~pl.col("passed")))
        for values in [pl.col(f"{kind}_tokens").filter(_is_measured(kind) & in_group)]
    }
    row_values = rows.select(
        *(values.median().alias(f"{name} median") for name, values in selections.items()),
        *(values.len().alias(f"{name} n") for name, values in selections.items()),
        (~pl.col("usage_state").is_in(["ok", "chat"])).sum().alias("unknown"),
    ).row(0, named=True)
    statistics: dict[str, Any] = {
        kind: {group: _median(row_values, f"{kind} {group}") for group in GROUPS} for kind in KINDS
    }
    statistics["unknown"] = row_values["unknown"]
    statistics["partial"] = every.height - rows.height
    return statistics


def _is_measured(kind: str) -> pl.Expr:
    """Whether a row tells how many tokens of a kind it took; no reasoning is known where there is output."""
    column = pl.col(f"{kind}_tokens")
    return column.is_not_null() & ((pl.col("output_tokens") if kind == "reasoning" else column) > 0)


def _median(row_values: dict[str, Any], name: str) -> dict[str, float | int | None]:
    value = row_values[f"{name} median"]
    return {"median": float(value) if isinstance(value, (int, float)) else None, "n": row_values[f"{name} n"]}


def endings(rows: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """What the last step of a rollout was, and how many of those passed; null where nothing says what a pass is.

    A tool that hands in the work or hands the case over ends the rollout: its answer is no output to stop on.
    """
    ends = pl.when(_is_closed_by_a_tool(rows)).then(pl.lit(CLOSING)).otherwise(pl.col("ends_on")).alias("ends_on")
    row_endings = rows.select(ends, pl.col("passed"))
    grouped = row_endings.group_by("ends_on").agg(pl.len().alias("rollouts"), passes()).sort("ends_on")
    return {str(name): {"rollouts": int(rollouts), "passed": passed} for name, rollouts, passed in grouped.iter_rows()}


def _is_closed_by_a_tool(rows: pl.DataFrame) -> pl.Series:
    """The rows that stop on the answer of a tool which is called once in a rollout, nearly always as the last.

    Rollouts with a single call do not tell: their first call is their last.
    """
    stops = (rows["ends_on"] == "output").fill_null(value=False)
    if not stops.any():
        return stops
    tools = [[action.split("(", 1)[0] for action in actions or ()] for actions in rows["actions"].to_list()]
    calls = Counter(name for names in tools if len(names) > 1 for name in names)
    last = Counter(names[-1] for names in tools if len(names) > 1)
    closing = {tool for tool, rollouts in last.items() if rollouts >= max(FEWEST_CLOSING, NEARLY_ALWAYS * calls[tool])}
    ended = [stop and bool(names) and names[-1] in closing for stop, names in zip(stops, tools, strict=True)]
    return pl.Series(ended, dtype=pl.Boolean)


def passes() -> pl.Expr:
    """How many rows passed, or null where none of them has a verdict."""
    has_verdicts = pl.col("passed").is_not_null().any()
    return pl.when(has_verdicts).then(pl.col("passed").sum()).otherwise(None).alias("passed")
