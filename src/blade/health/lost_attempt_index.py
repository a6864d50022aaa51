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
    findings = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        by_attempt = measured.analysis.audit.get("by_attempt", ())
        for stages, words in ((STAGES, "were no attempt of the model or not judged"), (NEVER_RAN, "never ran")):
            lost_attempt = lost_index(by_attempt, stages)
            if lost_attempt is not None:
                findings.append(
                    _item(
                        run,
                        lost_attempt,
                        f"{void(lost_attempt, stages)} of its {count(lost_attempt['rows'], 'rollout')} {words}",
                    )
                )
                break
    return findings


def _item(run: Run, lost_attempt: Mapping[str, Any], lost_text: str) -> Item:
    rows = run.facts.filter((pl.col("attempt") == lost_attempt["attempt"]) & pl.col("stage_lost").is_not_null())
    other_rows = run.graded.filter(pl.col("attempt") != lost_attempt["attempt"])
    score, without = run.graded["reward"].mean(), other_rows["reward"].mean()
    effect = (
        f" The mean reward is {percent(score)} over all rollouts and {percent(without)} over the other attempts."
        if isinstance(score, float) and isinstance(without, float)
        else ""
    )
    return item(
        "lost_attempt_index",
        "high",
        f"Attempt {lost_attempt['attempt']} of {run.name} was mostly lost: {lost_text}.{effect}",
        tasks=rows["label"].unique().sort().to_list(),
        evidence=[row_evidence(run, row, row["reason"]) for row in rows.head(SHOWN).iter_rows(named=True)],
        run=run.name,
    )
