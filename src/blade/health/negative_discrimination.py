"""Negative discrimination: tasks that better runs fail and worse runs pass, beyond what chance brings about."""

from __future__ import annotations

from blade.health import ALL, NO_THRESHOLD, TWO_RUNS, Context, Item, Unchecked, item
from blade.stats.health import item_rest
from blade.stats.multiple import benjamini_hochberg
from blade.wording import count

SURE = 0.05


def unchecked(context: Context) -> Unchecked:
    if len(context.runs) < 2:
        return {ALL: TWO_RUNS}
    if any(run.rule.threshold is None for run in context.runs):
        return {ALL: NO_THRESHOLD}
    common, vectors = _answers(context)
    if not common:
        return {ALL: "no task is common to all runs"}
    if not any(correlation.p is not None for correlation in item_rest(vectors)):
        return {ALL: f"{count(len(vectors), 'answer')} per task are too few, or they are all alike"}
    return {}


def check(context: Context) -> list[Item]:
    """Needs at least eight answers a task, counted as runs times attempts on tasks that all runs share."""
    if len(context.runs) < 2 or any(run.rule.threshold is None for run in context.runs):
        return []
    common, vectors = _answers(context)
    correlations = item_rest(vectors) if common else ()
    names = context.labels(0)
    negative = [
        (place, correlation.p)
        for place, correlation in enumerate(correlations)
        if correlation.p is not None and (correlation.correlation or 0) < 0
    ]
    sure = benjamini_hochberg([p for _, p in negative])
    odd = [names.get(common[place], common[place]) for (place, _), q in zip(negative, sure, strict=True) if q <= SURE]
    if not odd:
        return []
    statement = (
        f"{len(odd)} of {len(common)} tasks are passed the more, the worse the rest goes: "
        "look at their keys and verifiers."
    )
    return [item("negative_discrimination", "medium", statement, tasks=odd)]


def _answers(context: Context) -> tuple[list[str], list[list[int]]]:
    """The tasks that all runs share, and a line of passes and failures over them for every attempt of every run."""
    table: list[dict[str, list[int]]] = []
    for place, run in enumerate(context.runs):
        rows: dict[str, list[int]] = {}
        for task, passed in run.graded.sort("task", "attempt").select("task", "passed").rows():
            rows.setdefault(context.key(place, task), []).append(int(passed))
        table.append(rows)
    common = sorted(set.intersection(*(set(rows) for rows in table))) if table else []
    attempts = [min((len(rows[task]) for task in common), default=0) for rows in table]
    vectors = [
        [rows[task][number] for task in common]
        for rows, attempt_count in zip(table, attempts, strict=True)
        for number in range(attempt_count)
    ]
    return common, vectors
