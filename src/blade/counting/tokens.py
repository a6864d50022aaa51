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
    asked = {
        f"{kind} {group}": values
        for kind in KINDS
        for group, chosen in (("all", True), ("pass", pl.col("passed")), ("fail", ~pl.col("passed")))
        for values in [pl.col(f"{kind}_tokens").filter(_known(kind) & chosen)]
    }
    told = rows.select(
        *(values.median().alias(f"{name} median") for name, values in asked.items()),
        *(values.len().alias(f"{name} n") for name, values in asked.items()),
        (~pl.col("usage_state").is_in(["ok", "chat"])).sum().alias("unknown"),
    ).row(0, named=True)
    found: dict[str, Any] = {kind: {group: _median(told, f"{kind} {group}") for group in GROUPS} for kind in KINDS}
    found["unknown"] = told["unknown"]
    found["partial"] = every.height - rows.height
    return found


def _known(kind: str) -> pl.Expr:
    """Whether a row tells how many tokens of a kind it took; no reasoning is known where there is output."""
    column = pl.col(f"{kind}_tokens")
    return column.is_not_null() & ((pl.col("output_tokens") if kind == "reasoning" else column) > 0)


def _median(told: dict[str, Any], name: str) -> dict[str, float | int | None]:
    value = told[f"{name} median"]
    return {"median": float(value) if isinstance(value, (int, float)) else None, "n": told[f"{name} n"]}


def endings(rows: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """What the last step of a rollout was, and how many of those passed; null where nothing says what a pass is.

    A tool that hands in the work or hands the case over ends the rollout: its answer is no output to stop on.
    """
    ends = pl.when(_is_closed_by_a_tool(rows)).then(pl.lit(CLOSING)).otherwise(pl.col("ends_on")).alias("ends_on")
    told = rows.select(ends, pl.col("passed"))
    grouped = told.group_by("ends_on").agg(pl.len().alias("rollouts"), passes()).sort("ends_on")
    return {str(name): {"rollouts": int(many), "passed": passed} for name, many, passed in grouped.iter_rows()}


def _is_closed_by_a_tool(rows: pl.DataFrame) -> pl.Series:
    """The rows that stop on the answer of a tool which is called once in a rollout, nearly always as the last."""
    stops = (rows["ends_on"] == "output").fill_null(value=False)
    if not stops.any():
        return stops
    tools = [[action.split("(", 1)[0] for action in actions or ()] for actions in rows["actions"].to_list()]
    calls = Counter(name for names in tools for name in names)
    last = Counter(names[-1] for names in tools if len(names) > 1)
    closing = {tool for tool, many in last.items() if many >= max(FEWEST_CLOSING, NEARLY_ALWAYS * calls[tool])}
    ended = [stop and bool(names) and names[-1] in closing for stop, names in zip(stops, tools, strict=True)]
    return pl.Series(ended, dtype=pl.Boolean)


def passes() -> pl.Expr:
    """How many rows passed, or null where none of them has a verdict."""
    told = pl.col("passed").is_not_null().any()
    return pl.when(told).then(pl.col("passed").sum()).otherwise(None).alias("passed")
