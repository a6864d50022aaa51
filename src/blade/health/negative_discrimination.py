"""Negative discrimination: tasks that better runs fail and worse runs pass."""

from __future__ import annotations

from blade.health import Context, Item, item
from blade.stats.health import item_rest


def check(context: Context) -> list[Item]:
    """Needs at least eight answers a task, counted as runs times attempts on tasks that all runs share."""
    if any(run.rule.threshold is None for run in context.runs):
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
    odd = [
        names.get(common[place], common[place]) for place, told in enumerate(found) if told is not None and told.flagged
    ]
    if not odd:
        return []
    statement = (
        f"{len(odd)} of {len(common)} tasks are passed the more, the worse the rest goes: "
        "look at their keys and verifiers."
    )
    return [item("negative_discrimination", "medium", statement, tasks=odd)]
