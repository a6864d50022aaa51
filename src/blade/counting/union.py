"""Tasks that only other runs show: without a manifest they are expected of every run of the same tasks.

A run without materialized inputs cannot say what it lacks; a run beside it can. Where two runs share most tasks of the
smaller one, the tasks of both are expected of each, with the usual number of attempts. It stays an inference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from blade.counting.align import ELSEWHERE, MOSTLY, Alignment
from blade.counting.run import Run
from blade.wording import count


def expect_union(runs: Sequence[Run], alignments: Sequence[Alignment]) -> tuple[list[Run], list[Alignment]]:
    """Runs that expect the tasks of the runs beside them, and alignments that know those; the first is the base."""
    base, other_runs = runs[0], list(runs[1:])
    names = _names(base)
    everything = dict.fromkeys(names)
    joined = []
    for run, alignment in zip(other_runs, alignments, strict=True):
        run_tasks = _names(run)
        shared = sum(alignment.same.get(task) in everything for task in run_tasks)
        together = shared >= MOSTLY * min(len(names), len(run_tasks))
        joined.append(together)
        if together:
            everything |= dict.fromkeys(map(alignment.key, run_tasks))
    widened = [_widened(base, [task for task in everything if task not in names])]
    alignments_known = []
    for run, alignment, together in zip(other_runs, alignments, joined, strict=True):
        if not together:
            widened.append(run)
            alignments_known.append(alignment)
            continue
        base_task_of = {task: alignment.key(task) for task in _names(run)}
        tasks_present = set(base_task_of.values())
        lacking = [task for task in everything if task not in tasks_present]
        widened.append(_widened(run, [ELSEWHERE + task for task in lacking]))
        extra = {ELSEWHERE + task: task for task in lacking}
        alignments_known.append(replace(alignment, same={**alignment.same, **base_task_of, **extra}))
    return widened, alignments_known


def _names(run: Run) -> dict[str, None]:
    return dict.fromkeys([*run.facts["task"].to_list(), *run.expected.per_task])


def _widened(run: Run, tasks: Sequence[str]) -> Run:
    expected = run.expected
    if expected.source != "inferred" or expected.usual is None or not tasks:
        return run
    per_task = {**expected.per_task, **dict.fromkeys(tasks, expected.usual)}
    note = f"{expected.note}, and {count(len(tasks), 'task')} that only the runs beside it show"
    return replace(run, expected=replace(expected, per_task=per_task, note=note))
