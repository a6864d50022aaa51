"""Flaky verifier: the same output of the same task scored in two ways within one run."""

from __future__ import annotations

import polars as pl

from blade.counting.run import Run
from blade.health import Context, Item, Unchecked, item, row_evidence
from blade.stats.health import flakiness

SHOWN = 4
SAME = ["task", "text_hash", "output_hash", "heard_hash"]


def unchecked(context: Context) -> Unchecked:
    return {run.name: "no task has two identical outputs in one run" for run in context.runs if _again(run).is_empty()}


def _rows(run: Run) -> pl.DataFrame:
    return run.graded.filter(pl.col("output_hash").is_not_null())


def _again(run: Run) -> pl.DataFrame:
    """The outputs that stand twice or more: how often, with how many different rewards, how many of the best."""
    groups = (
        _rows(run)
        .group_by(SAME)
        .agg(
            pl.len().alias("n"),
            (pl.col("reward") >= pl.col("reward").max()).sum().alias("c"),
            pl.col("reward").n_unique().alias("v"),
        )
    )
    return groups.filter(pl.col("n") > 1)


def check(context: Context) -> list[Item]:
    findings = []
    for run in context.runs:
        rows, again = _rows(run), _again(run)
        apart = again.filter(pl.col("v") > 1)
        disagreement = flakiness([(int(n), int(c)) for n, c in again.select("n", "c").rows()])
        if apart.is_empty() or disagreement is None:
            continue
        hit = rows.join(apart.select(SAME), on=SAME).sort("task", "attempt")
        statement = (
            f"{apart.height} of {again.height} outputs that stand twice or more in {run.name} were scored in two ways; "
            f"two equal outputs disagree in {disagreement.disagreeing} of {disagreement.pairs} pairs."
        )
        evidence = [
            row_evidence(run, row, f"reward {row['reward']:g}") for row in hit.head(SHOWN).iter_rows(named=True)
        ]
        tasks = hit["label"].unique().sort().to_list()
        findings.append(item("flaky_verifier", "high", statement, tasks=tasks, evidence=evidence, run=run.name))
    return findings
