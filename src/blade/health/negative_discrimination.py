"""Negative discrimination: tasks that better runs fail and worse runs pass."""

from __future__ import annotations

from blade.health import Context, Item, item
from blade.stats.health import item_rest
from blade.stats.multiple import benjamini_hochberg

SURE = 0.05


RUNS = 2
"""With fewer, no run is better than another."""


def check(context: Context) -> list[Item]:
    """Needs at least eight answers a task, counted as runs times attempts on tasks that all runs share."""
    if len(context.runs) < 2 or any(run.rule.threshold is None for run in context.runs):
        return []
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
        for rows, many in zip(table, attempts, strict=True)
        for number in range(many)
    ]
    found = item_rest(vectors) if common else ()
    names = context.labels(0)
    told = [(place, one.p) for place, one in enumerate(found) if one.p is not None and (one.correlation or 0) < 0]
    sure = benjamini_hochberg([p for _, p in told])
    odd = [names.get(common[place], common[place]) for (place, _), q in zip(told, sure, strict=True) if q <= SURE]
    if not odd:
        return []
    statement = (
        f"{len(odd)} of {len(common)} tasks are passed the more, the worse the rest goes: "
        "look at their keys and verifiers."
    )
    return [item("negative_discrimination", "medium", statement, tasks=odd)]
