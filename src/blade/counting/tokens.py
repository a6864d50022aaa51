"""Token statistics by outcome, and how rollouts end."""

from __future__ import annotations

from typing import Any

import polars as pl

KINDS = ("input", "output", "reasoning")


def token_statistics(rows: pl.DataFrame) -> dict[str, Any]:
    """Medians over all rows, passes and fails, each with its n. Zero, null and absent counts are unknown."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        column = pl.col(f"{kind}_tokens")
        known = rows.filter(column.is_not_null() & (column > 0))
        if kind == "reasoning":
            known = rows.filter(column.is_not_null() & (pl.col("output_tokens") > 0))
        found[kind] = {
            "all": _median(known, kind),
            "pass": _median(known.filter(pl.col("passed")), kind),
            "fail": _median(known.filter(~pl.col("passed")), kind),
        }
    found["unknown"] = rows.filter(~pl.col("usage_state").is_in(["ok", "chat"])).height
    return found


def _median(rows: pl.DataFrame, kind: str) -> dict[str, float | int | None]:
    value = rows[f"{kind}_tokens"].median()
    return {"median": float(value) if isinstance(value, (int, float)) else None, "n": rows.height}


def endings(rows: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """What the last step of a rollout was, and how many of those passed; null where nothing says what a pass is."""
    grouped = rows.group_by("ends_on").agg(pl.len().alias("rollouts"), passes()).sort("ends_on")
    return {str(name): {"rollouts": int(many), "passed": passed} for name, many, passed in grouped.iter_rows()}


def passes() -> pl.Expr:
    """How many rows passed, or null where none of them has a verdict."""
    told = pl.col("passed").is_not_null().any()
    return pl.when(told).then(pl.col("passed").sum()).otherwise(None).alias("passed")
