"""Outage window: a stretch of time in which rollouts were broken or lost their scores."""

from __future__ import annotations

import polars as pl

from blade.change.compare import pair_seed
from blade.health import Context, Item, item, row_evidence
from blade.stats.scan import scan_window

SURE = 0.01
SHOWN = 3


def check(context: Context) -> list[Item]:
    found = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        rows = run.facts.filter(~pl.col("copy"))
        timed = rows["created_at"].null_count() == 0 and rows["created_at"].n_unique() > 2
        ordered = rows.sort("created_at", "row_hash") if timed else rows.sort("file", "line")
        flags = (ordered["state"] == "infrastructure").cast(pl.Int8).to_list()
        if sum(flags) < 3:
            continue
        window = scan_window(flags, side="higher", seed=pair_seed([run], 0))
        if window is None or window.p > SURE:
            continue
        hit = ordered[window.start : window.end].filter(pl.col("state") == "infrastructure")
        score, clean = measured.analysis.metrics["score"], measured.analysis.metrics["evaluable"]["score"]
        effect = clean - score if score is not None and clean is not None else None
        order = "in order of time" if timed else "of the file"
        statement = (
            f"{hit.height} rollouts of {run.name} were broken by infrastructure between rows {window.start + 1} and "
            f"{window.end} {order} ({window.inside:.0%} there, {window.outside:.0%} elsewhere)."
        )
        evidence = [row_evidence(run, row, row["reason"]) for row in hit.head(SHOWN).iter_rows(named=True)]
        tasks = hit["label"].unique().sort().to_list()
        found.append(
            item("outage_window", "high", statement, tasks=tasks, evidence=evidence, effect=effect, run=run.name)
        )
    return found
