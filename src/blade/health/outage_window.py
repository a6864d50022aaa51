"""Outage window: a stretch of time in which rollouts were broken by infrastructure."""

from __future__ import annotations

import polars as pl

from blade.change.where import in_order, window
from blade.counting.seed import seed_of
from blade.health import Context, Item, item, row_evidence

FEWEST = 3
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
            item("outage_window", "high", statement, tasks=tasks, evidence=evidence, effect=effect, run=run.name)
        )
    return found
