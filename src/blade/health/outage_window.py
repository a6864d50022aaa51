"""Outage window: a stretch of time in which rollouts were broken by infrastructure, or an attempt that broke off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from blade.change.localize import window
from blade.counting.audit.lost_index import broke_off
from blade.counting.order import in_order
from blade.counting.run import Run
from blade.counting.seed import seed_of
from blade.extract.names import words
from blade.health import Context, Item, Unchecked, item, row_evidence
from blade.wording import count

FEWEST = 3
STEPS = 80
SHOWN = 3
_POINT_IN_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_OF_ENDS = frozenset("start started begin began end ended finish finished created".split())
SECONDS = 19
"""So many letters of a point in time reach to its seconds."""


def unchecked(context: Context) -> Unchecked:
    reasons = {run.name: "every row bears the same time" for run in context.runs if _one_time(run)}
    return reasons | {run.name: "no row is graded" for run in context.runs if run.graded.is_empty()}


def _one_time(run: Run) -> bool:
    """Whether the fields that tell when a rollout started or ended hold one point in time, the same in all rows."""
    ends = [column for column in run.columns if not _OF_ENDS.isdisjoint(words(column.name))]
    times = [column for column in ends if all(_POINT_IN_TIME.match(str(value)) for value in column.values)]
    timed = run.facts["created_at"].drop_nulls().n_unique() > 1
    return run.facts.height > 1 and not timed and bool(times) and all(len(column.values) == 1 for column in times)


def check(context: Context) -> list[Item]:
    return [*_windows(context), *_broken_off(context)]


def _broken_off(context: Context) -> Iterator[Item]:
    """An attempt index of which nothing starts any more, and whose last rollouts never came to a verdict."""
    for run, measured in zip(context.runs, context.measured, strict=True):
        for entry in measured.analysis.audit.get("by_attempt", ()):
            if entry.get("under_way"):
                then = entry["under_way"]
                yield item(
                    "outage_window",
                    "high",
                    f"Attempt {entry['attempt']} of {run.name} broke off: {count(entry['no_trial'], 'rollout')} never "
                    f"ran, and none starts after {entry['last_start'][:SECONDS]}. {broke_off(then)}",
                    tasks=then["tasks"],
                    run=run.name,
                )


def _windows(context: Context) -> list[Item]:
    windows = []
    for run in context.runs:
        rows = _rows(run)
        broken = rows.filter(pl.col("state") == "infrastructure").height
        if broken < FEWEST:
            continue
        stretch = window(rows, seed_of([run], 0)).get("window")
        if stretch is None:
            continue
        start, end = stretch["rows"]
        hit = in_order(rows)[0][start:end].filter(pl.col("state") == "infrastructure")
        order = "in order of time" if stretch["order"] == "time" else "of the file"
        statement = (
            f"{hit.height} rollouts of {run.name} were broken by infrastructure between rows {start + 1} and {end} "
            f"{order} ({stretch['inside']:.0%} there, {stretch['outside']:.0%} elsewhere)."
        )
        if broken > hit.height:
            statement += (
                f" Infrastructure broke {broken - hit.height} more outside of it; its points are of all of them."
            )
        evidence = [row_evidence(run, row, row["reason"]) for row in hit.head(SHOWN).iter_rows(named=True)]
        tasks = hit["label"].unique().sort().to_list()
        windows.append(
            item(
                "outage_window",
                "high",
                statement,
                tasks=tasks,
                evidence=evidence,
                worth=_worth(context, run.name),
                run=run.name,
                series=_series(in_order(rows)[0], stretch),
            )
        )
    return windows


def _rows(run: Run) -> pl.DataFrame:
    """The rows with a reward, and those that infrastructure broke before they got one."""
    uncountable = pl.col("copy") | pl.col("skipped") | pl.col("foreign")
    lost = (pl.col("state") == "infrastructure") & ~pl.col("counted") & ~uncountable
    return run.facts.filter(pl.col("counted") | lost) if run.facts.select(lost.any()).item() else run.graded


def _worth(context: Context, run: str) -> tuple[float, float] | None:
    """What infrastructure makes up of the one change of a run, and what undoing that would bring the run."""
    run_changes = [change for change in context.changes if run in {change.base, change.candidate}]
    parts = [
        part for change in run_changes for part in change.parts if (part.cause, part.sub) == ("infrastructure", None)
    ]
    if len(run_changes) != 1 or not parts:
        return None
    points = parts[0].points
    return points, -points if run == run_changes[0].candidate else points


def _series(rows: pl.DataFrame, stretch: Mapping[str, Any]) -> dict[str, Any]:
    """Broken rollouts per step of the run, in order: at most `STEPS` steps of as many rows each."""
    width = max(1, -(-rows.height // STEPS))
    flags = (rows["state"] == "infrastructure").to_list()
    steps = [
        {"from": start + 1, "to": min(start + width, rows.height), "broken": sum(flags[start : start + width])}
        for start in range(0, rows.height, width)
    ]
    return {"order": stretch["order"], "rows": [stretch["rows"][0] + 1, stretch["rows"][1]], "steps": steps}
