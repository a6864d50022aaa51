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
from blade.model import NOT_EVALUABLE, Status
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
_ENDED = [Status.OK.value, Status.MALFORMED.value]
FEWEST_BLANK = 3
HIGH = 0.05
"""From so many of its rollouts on, a run is no measure of the model."""


def check(context: Context) -> list[Item]:
    items = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        audit = measured.analysis.audit
        items += [_item(run, group, audit) for group in audit.get("groups", ())]
        items += [*_unjudged(run), *_blank(run)]
    return items


def _blank(run: Run) -> list[Item]:
    """Rollouts that ran and were judged, and hold neither a word nor a call, where no pass is so.

    The reply may have been lost on its way, or the model said nothing: the rows do not tell.
    """
    scored = run.facts.filter(~pl.col("copy") & pl.col("counted") & pl.col("reward").is_not_null())
    ran = scored.filter(pl.col("stage_lost").is_null() & pl.col("state").is_in(_ENDED))
    silent = (pl.col("final_chars").fill_null(0) == 0) & (pl.col("calls") == 0) & (pl.col("outputs") == 0)
    blank = ran.filter((pl.col("response_state") == "there") & (pl.col("messages") > 0) & silent)
    if blank.height < FEWEST_BLANK or blank["passed"].any() or blank.height == ran.height:
        return []
    billed = blank.filter(pl.col("output_tokens") > 0).height
    billed_words = f"; {_part(billed, blank.height)} billed output tokens" if billed else ""
    means = [frame["reward"].mean() for frame in (scored, scored.join(blank, on=("file", "line"), how="anti"))]
    with_them, without = (float(mean) if isinstance(mean, (int, float)) else 0.0 for mean in means)
    effect = ""
    if min(with_them, without) >= 0 and max(with_them, without) <= 1:
        effect = f" The mean reward is {percent(with_them)} with them, {percent(without)} without."
    return [
        item(
            "void_attempts",
            "high" if blank.height >= HIGH * run.facts.height else "medium",
            f"{count(blank.height, 'rollout')} of {run.name} ended normally with an empty reply and no call"
            f"{billed_words}; none passes. The model said nothing, or what it said was lost.{effect}",
            tasks=blank["label"].unique().sort().to_list(),
            evidence=[row_evidence(run, row, "") for row in blank.head(SHOWN).iter_rows(named=True)],
            run=run.name,
        )
    ]


def _part(number: int, total: int) -> str:
    return "all were" if number == total else count(number, "of them was", "of them were")


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
