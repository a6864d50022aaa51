"""Flaky verifier: the same output of the same task scored in two ways within one run."""

from __future__ import annotations

import polars as pl

from blade.health import Context, Item, item, row_evidence
from blade.stats.health import flakiness

SHOWN = 4
SAME = ["task", "output_hash", "heard_hash"]


def check(context: Context) -> list[Item]:
    found = []
    for run in context.runs:
        rows = run.graded.filter(pl.col("output_hash").is_not_null())
        groups = rows.group_by(SAME).agg(
            pl.len().alias("n"),
            (pl.col("reward") >= pl.col("reward").max()).sum().alias("c"),
            pl.col("reward").n_unique().alias("v"),
        )
        again = groups.filter(pl.col("n") > 1)
        apart = again.filter(pl.col("v") > 1)
        told = flakiness([(int(n), int(c)) for n, c in again.select("n", "c").rows()])
        if apart.is_empty() or told is None:
            continue
        hit = rows.join(apart.select(SAME), on=SAME).sort("task", "attempt")
        statement = (
            f"{apart.height} of {again.height} outputs that stand twice or more in {run.name} were scored in two ways; "
            f"two equal outputs disagree in {told.disagreeing} of {told.pairs} pairs."
        )
        evidence = [
            row_evidence(run, row, f"reward {row['reward']:g}") for row in hit.head(SHOWN).iter_rows(named=True)
        ]
        tasks = hit["label"].unique().sort().to_list()
        found.append(item("flaky_verifier", "high", statement, tasks=tasks, evidence=evidence, run=run.name))
    return found
