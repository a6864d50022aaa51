"""Saturation: every run passes nearly all tasks, or half of them end alike in all attempts, and tell nothing."""

from __future__ import annotations

from collections import defaultdict

from blade.health import ALL, NO_THRESHOLD, Context, Item, Unchecked, item
from blade.stats.health import saturation, zero_variance_tasks
from blade.wording import abridged

FEWEST_TASKS = 10
MUCH = 0.5
NEARLY_ALL = 0.95
MOST_NAMED = 4


def unchecked(context: Context) -> Unchecked:
    if any(run.rule.threshold is None for run in context.runs):
        return {ALL: NO_THRESHOLD}
    tasks = {
        context.key(place, task)
        for place, measured in enumerate(context.measured)
        for task, result in measured.results.items()
        if result.attempts
    }
    return {ALL: f"fewer than {FEWEST_TASKS} tasks"} if len(tasks) < FEWEST_TASKS else {}


def _passes(context: Context) -> list[tuple[str, int, int]]:
    """Each run with the tasks that all its attempts pass, and those that it tried."""
    counts = []
    for run, measured in zip(context.runs, context.measured, strict=True):
        tried = [result for result in measured.results.values() if result.attempts]
        counts.append((run.name, sum(result.passes == result.attempts for result in tried), len(tried)))
    return counts


def check(context: Context) -> list[Item]:
    if any(run.rule.threshold is None for run in context.runs):
        return []
    cells: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    labels: dict[str, str] = {}
    for place, measured in enumerate(context.measured):
        names = context.labels(place)
        for task, result in measured.results.items():
            if result.attempts:
                key = context.key(place, task)
                cells[key].append((result.attempts, result.passes or 0))
                labels.setdefault(key, names.get(task, task))
    if len(cells) < FEWEST_TASKS:
        return []
    findings = []
    pooled = [(sum(n for n, _ in rows), sum(c for _, c in rows)) for rows in cells.values()]
    pooled_tasks = saturation(pooled)
    if pooled_tasks is not None and pooled_tasks.ceiling:
        saturated = f"{pooled_tasks.saturated} of {pooled_tasks.tasks} tasks"
        statement = f"{saturated} are passed nearly always: the benchmark is near its ceiling."
        findings.append(item("saturation", "medium", statement))
    elif (passes := _passes(context)) and all(passed >= NEARLY_ALL * tasks for _, passed, tasks in passes):
        counts = [f"{name} {passed:,} of {tasks:,}" for name, passed, tasks in passes]
        who = (
            f"Every run passes nearly all its tasks ({abridged(counts, MOST_NAMED)})"
            if counts[1:]
            else (f"The run passes {passes[0][1]:,} of {passes[0][2]:,} tasks")
        )
        findings.append(item("saturation", "medium", f"{who}: little is left that could tell a better run apart."))
    still = zero_variance_tasks(cells)
    if len(still) > MUCH * len(cells) and any(n > 1 for rows in cells.values() for n, _ in rows):
        solved = sum(all(n == c for n, c in cells[task]) for task in still)
        several = len(context.runs) > 1
        statement = (
            f"{len(still)} of {len(cells)} tasks end alike in every attempt of {'every run' if several else 'the run'} "
            f"({solved} always pass, {len(still) - solved} never do): "
            f"{'they do not tell the runs apart' if several else 'repeats of them showed nothing new'}."
        )
        findings.append(item("saturation", "low", statement, tasks=sorted(labels[task] for task in still)))
    return findings
