"""Why rows have the status they have: the commonest words that said so, with one example as it stands."""

from __future__ import annotations

from typing import Any

import polars as pl

from blade.counting.tokens import passes
from blade.model import Status

KEPT = 5


def status_reasons(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Per status its commonest reasons, with how many rows each stands on and how many of those passed."""
    told = rows.filter(~pl.col("copy") & (pl.col("state") != Status.OK.value)).with_columns(
        pl.col("reason").str.replace_all(r"\d+", "#").str.slice(0, 100).alias("_shape"),
    )
    grouped = (
        told.group_by("state", "_shape")
        .agg(pl.len().alias("rollouts"), passes(), pl.col("reason").min())
        .sort("state", "rollouts", "_shape", descending=[False, True, False])
        .group_by("state", maintain_order=True)
        .head(KEPT)
    )
    return [
        {"status": status, "reason": reason, "rollouts": int(many), "passed": passed}
        for status, reason, many, passed in grouped.select("state", "reason", "rollouts", "passed").rows()
    ]
