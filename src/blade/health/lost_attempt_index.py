"""Lost attempt index: one attempt of every task was mostly void, while the others were not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from blade.counting.run import Run
from blade.health import Context, Item, Unchecked, item, row_evidence
from blade.wording import count, percent

STAGES = ("no_trial", "not_started", "not_ended", "not_judged")
MOSTLY_LOST = 0.5
FEWEST = 3
SHOWN = 3


def unchecked(context: Context) -> Unchecked:
    return {run.name: "every task has one attempt" for run in context.runs if run.facts["attempt"].n_unique() < 2}


def check(context: Context) -> list[Item]:
    found = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        lost = lost_index(measured.analysis.audit.get("by_attempt", ()))
        if lost is not None:
            found.append(_item(run, lost))
    return found


def lost_index(by_attempt: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The attempt index most of whose rollouts are void, where those of every other are not half as often."""
    shares = sorted(((_void(entry) / entry["rows"], entry["attempt"], entry) for entry in by_attempt), reverse=True)
    if not shares or shares[0][0] < MOSTLY_LOST or _void(shares[0][2]) < FEWEST:
        return None
    return None if any(2 * share >= shares[0][0] for share, *_ in shares[1:]) else shares[0][2]


def _void(entry: Mapping[str, Any]) -> int:
    return sum(entry[stage] for stage in STAGES)


def _item(run: Run, lost: Mapping[str, Any]) -> Item:
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
        f"Attempt {lost['attempt']} of {run.name} was mostly lost: {_void(lost)} of its "
        f"{count(lost['rows'], 'rollout')} were no attempt of the model or not judged.{effect}",
        tasks=rows["label"].unique().sort().to_list(),
        evidence=[row_evidence(run, row, row["reason"]) for row in rows.head(SHOWN).iter_rows(named=True)],
        run=run.name,
    )
