"""Void attempts: rollouts that never ran, never started, were broken off from outside or were never judged.

What they cost a change stands in its ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.health import Context, Item, item, row_evidence
from blade.model import NOT_EVALUABLE
from blade.wording import abridged, count, of_number, percent

WORDS = {
    "no_trial": "never ran",
    "not_started": "never started the agent",
    "broken": "were broken off by infrastructure",
    "not_ended": "were ended by a message that the model did not write",
    "not_judged": "were never judged",
}
SHOWN = 3
_LOST = [status.value for status in NOT_EVALUABLE]
HIGH = 0.05
"""From so many of its rollouts on, a run is no measure of the model."""


def check(context: Context) -> list[Item]:
    items = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        audit = measured.analysis.audit
        items += [_item(run, group, audit) for group in audit.get("groups", ())]
        items += _unjudged(run)
    return items


def _unjudged(run: Run) -> list[Item]:
    """Rollouts that the run's own word calls broken or without a verdict, and of which the audit says no more."""
    rows = run.facts.filter(~pl.col("copy") & pl.col("stage_lost").is_null() & pl.col("state").is_in(_LOST))
    if not rows.height:
        return []
    reasons = Counter(reason or "no reason given" for reason in rows["reason"].to_list())
    words = abridged([f"{reason} ({rollouts:,})" for reason, rollouts in reasons.most_common()], SHOWN)
    return [
        item(
            "void_attempts",
            "high" if rows.height >= HIGH * run.facts.height else "medium",
            f"{count(rows.height, 'rollout')} of {run.name} {of_number(rows.height, 'were broken or got no verdict')}: "
            f"{words}.",
            tasks=rows["label"].unique().sort().to_list(),
            evidence=[row_evidence(run, row, row["reason"]) for row in rows.head(SHOWN).iter_rows(named=True)],
            run=run.name,
        )
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
