"""Outage window: a stretch of time in which rollouts were broken by infrastructure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from blade.change.where import in_order, window
from blade.counting.seed import seed_of
from blade.health import Context, Item, item, row_evidence

FEWEST = 3
STEPS = 80
SHOWN = 3


def check(context: Context) -> list[Item]:
    found = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        rows = run.graded
        if rows.filter(pl.col("state") == "infrastructure").height < FEWEST:
            continue
        stretch = window(rows, seed_of([run], 0)).get("window")
        if stretch is None:
            continue
        start, end = stretch["rows"]
        hit = in_order(rows)[0][start:end].filter(pl.col("state") == "infrastructure")
        score, clean = measured.analysis.metrics["score"], measured.analysis.metrics["evaluable"]["score"]
        effect = clean - score if score is not None and clean is not None else None
        order = "in order of time" if stretch["order"] == "time" else "of the file"
        statement = (
            f"{hit.height} rollouts of {run.name} were broken by infrastructure between rows {start + 1} and {end} "
            f"{order} ({stretch['inside']:.0%} there, {stretch['outside']:.0%} elsewhere)."
        )
        evidence = [row_evidence(run, row, row["reason"]) for row in hit.head(SHOWN).iter_rows(named=True)]
        tasks = hit["label"].unique().sort().to_list()
        found.append(
            item(
                "outage_window",
                "high",
                statement,
                tasks=tasks,
                evidence=evidence,
                effect=effect,
                run=run.name,
                series=_series(in_order(rows)[0], stretch),
            )
        )
    return found


def _series(rows: pl.DataFrame, stretch: Mapping[str, Any]) -> dict[str, Any]:
    """Broken rollouts per step of the run, in order: at most `STEPS` steps of as many rows each."""
    width = max(1, -(-rows.height // STEPS))
    flags = (rows["state"] == "infrastructure").to_list()
    steps = [
        {"from": start + 1, "to": min(start + width, rows.height), "broken": sum(flags[start : start + width])}
        for start in range(0, rows.height, width)
    ]
    return {"order": stretch["order"], "rows": [stretch["rows"][0] + 1, stretch["rows"][1]], "steps": steps}
