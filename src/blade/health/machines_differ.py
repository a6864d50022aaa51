"""Machines differ: the rows of one run name another processor than those of another run, or two inside one run."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from blade.health import Context, Item, Unchecked, item, row_evidence
from blade.wording import abridged, count, listed, percent

FEWEST = 8
"""So many rows must name a machine before a run is said to have run on it."""
MOSTLY = 0.8
MOST_NAMED = 5


def unchecked(context: Context) -> Unchecked:
    return {
        run.name: "no row names a processor"
        for run in context.runs
        if run.graded["machine"].null_count() == run.graded.height
    }


def check(context: Context) -> list[Item]:
    usual: dict[str, list[str]] = {}
    findings = []
    for run in context.runs:
        frame = run.graded.filter(pl.col("machine").is_not_null())
        counts = dict(frame.group_by("machine").len().sort("machine").rows())
        common = [name for name, rows in counts.items() if rows >= FEWEST]
        if len(common) > 1:
            findings.append(_mixed(run.name, frame, common))
        elif common and counts[common[0]] >= MOSTLY * frame.height:
            usual.setdefault(common[0], []).append(run.name)
    if len(usual) > 1:
        evidence = [
            row_evidence(run, run.graded.filter(pl.col("machine") == name).row(0, named=True), name)
            for name, runs in usual.items()
            for run in context.runs
            if run.name == runs[0]
        ]
        machine_text = "; ".join(f"{listed(runs)} on {name}" for name, runs in usual.items())
        findings.append(
            item(
                "machines_differ",
                "medium",
                f"The runs used different machines: {machine_text}. No row ran on both, so the effect of the "
                "machine cannot be separated from the rest of the difference between them.",
                evidence=evidence,
            )
        )
    return findings


def _mixed(run: str, frame: pl.DataFrame, names: list[str]) -> Item:
    rows = {name: frame.filter(pl.col("machine") == name) for name in names}
    counts = [f"{count(machine_rows.height, 'rollout')} on {name}" for name, machine_rows in rows.items()]
    return item(
        "machines_differ",
        "medium",
        f"The rows of {run} name different machines: {listed(counts)}. {_by_task(rows)}",
        tasks=frame["label"].unique().sort().to_list(),
        run=run,
    )


def _by_task(rows: Mapping[str, pl.DataFrame]) -> str:
    """What the machine costs, on the tasks that ran on both: between other tasks it cannot be told from the tasks."""
    tasks = {name: set(machine_rows["label"].to_list()) for name, machine_rows in rows.items()}
    shared = set.intersection(*tasks.values())
    if shared:
        means = [
            f"{percent(float(str(machine_rows.filter(pl.col('label').is_in(shared))['reward'].mean() or 0)))} on {name}"
            for name, machine_rows in rows.items()
        ]
        return f"On the {count(len(shared), 'task')} that ran on both the mean reward is {listed(means)}."
    fewest = min(tasks, key=lambda name: len(tasks[name]))
    return (
        f"No task ran on both: those on {fewest} are {abridged(sorted(tasks[fewest]), MOST_NAMED)}, "
        "so the effect of the machine cannot be separated from that of the tasks."
    )
