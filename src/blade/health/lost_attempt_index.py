"""Lost attempt index: one attempt of every task was mostly void or never ran, while the others were not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from blade.counting.audit.lost_index import STAGES, lost_index, void
from blade.counting.run import Run
from blade.health import Context, Item, Unchecked, item, row_evidence
from blade.wording import count, percent

NEVER_RAN = ("no_trial",)
SHOWN = 3


def unchecked(context: Context) -> Unchecked:
    return {run.name: "every task has one attempt" for run in context.runs if run.facts["attempt"].n_unique() < 2}


def check(context: Context) -> list[Item]:
    found = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        by_attempt = measured.analysis.audit.get("by_attempt", ())
        for stages, words in ((STAGES, "were no attempt of the model or not judged"), (NEVER_RAN, "never ran")):
            lost = lost_index(by_attempt, stages)
            if lost is not None:
                found.append(_item(run, lost, f"{void(lost, stages)} of its {count(lost['rows'], 'rollout')} {words}"))
                break
    return found


def _item(run: Run, lost: Mapping[str, Any], many: str) -> Item:
    rows = run.facts.filter((pl.col("attempt") == lost["attempt"]) & pl.col("stage_lost").is_not_null())
    kept = run.graded.filter(pl.col("attempt") != lost["attempt"])
    score, without = run.graded["reward"].mean(), kept["reward"].mean()
    effect = (
        f" The mean reward is {percent(score)} over all rollouts and {percent(without)} over the other attempts."
        if isinstance(score, float) and isinstance(without, float)
        else ""
    )
    return item(
        "lost_attempt_index",
        "high",
        f"Attempt {lost['attempt']} of {run.name} was mostly lost: {many}.{effect}",
        tasks=rows["label"].unique().sort().to_list(),
        evidence=[row_evidence(run, row, row["reason"]) for row in rows.head(SHOWN).iter_rows(named=True)],
        run=run.name,
    )
