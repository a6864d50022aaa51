"""Void attempts: rollouts that never ran, never started, were broken off from outside or were never judged.

What they cost a change stands in its ledger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.health import Context, Item, item, row_evidence
from blade.wording import count, of_number, percent

WORDS = {
    "no_trial": "never ran",
    "not_started": "never started the agent",
    "broken": "were broken off by infrastructure",
    "not_ended": "were ended by a message that the model did not write",
    "not_judged": "were never judged",
}
SHOWN = 3
HIGH = 0.05
"""From so many of its rollouts on, a run is no measure of the model."""


def check(context: Context) -> list[Item]:
    return [
        _item(run, group, measured.analysis.audit)
        for run, measured in zip(context.runs, context.measured, strict=True)
        for group in measured.analysis.audit.get("groups", ())
    ]


def _item(run: Run, group: Mapping[str, Any], audit: Mapping[str, Any]) -> Item:
    rows = run.facts.filter(pl.col("stage_lost") == group["stage"])
    lines = group["lines"][:1]
    shared = ""
    if lines and 2 * lines[0]["rows"] > group["rows"]:
        line = lines[0]["line"]
        shared = f" It shows the line “{line}”." if group["rows"] == 1 else f" Most of them share the line “{line}”."
    all_mean, judged_mean = (audit["scores"][part]["mean"] for part in ("all", "judged"))
    void = count(sum(part["rows"] for part in audit["groups"]), "void rollout")
    effect = (
        ""
        if judged_mean is None
        else f" The mean reward is {percent(all_mean)} with the {void} of this run, {percent(judged_mean)} without."
    )
    ended = of_number(group["rows"], WORDS[group["stage"]])
    return item(
        "void_attempts",
        "high" if group["rows"] >= HIGH * run.facts.height else "medium",
        f"{count(group['rows'], 'rollout')} of {run.name} {ended}.{shared}{effect}",
        tasks=rows["label"].unique().sort().to_list(),
        evidence=[row_evidence(run, row, row["reason"]) for row in rows.head(SHOWN).iter_rows(named=True)],
        run=run.name,
    )
