"""What the score of a run would be if things were otherwise: had a way of failing, or all of them, passed instead.

Ceilings, and called so: a repair seldom brings all of it. The points of a cause are in the ledger of the change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.detector_specificity import habits
from blade.diagnosis.modes import UNEXPLAINED
from blade.diagnosis.recovery import rewards_of
from blade.findings import Mode
from blade.wording import count

MOST_MODES = 12
BASELINE = "baseline"
ALL = "all modes"
ORACLE = "oracle"
REFERENCE = "reference"
ONE = "a ceiling: the score if every rollout that fails this way had passed"
HABIT = f"{ONE}; passing attempts show the symptom as often: no cause by itself, and not in the line for all modes"
EVERY = "a ceiling: the score if every rollout that fails in a known way had passed"
Row = Mapping[str, Any]


def counterfactuals(runs: Sequence[RunCases], modes: Sequence[Mode]) -> tuple[Row, ...]:
    """The table of every run that failed at anything, run by run."""
    return tuple(row for run in runs if run.failing for row in _table(run, runs, modes))


def _score(run: RunCases) -> float | None:
    """The mean over tasks of the mean over attempts."""
    return _mean([_mean([case.reward for case in cases]) for cases in run.by_task().values()])


def _mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def _table(run: RunCases, runs: Sequence[RunCases], modes: Sequence[Mode]) -> Iterator[Row]:
    name, tasks, base = run.run.name, run.by_task(), _score(run)
    row = partial(_row, name, base)
    run_modes = [mode for mode in modes if mode.runs.get(name, {}).get("rollouts") and mode.id != UNEXPLAINED]
    run_modes.sort(key=lambda mode: (-mode.runs[name]["rollouts"], mode.id))
    specificity = habits(run)
    believed_modes = {mode.id for mode in run_modes if not (mode.detector and specificity.is_habit(mode.detector))}
    yield row(BASELINE, "as scored", base, f"mean over {count(len(tasks), 'task')}")
    for mode in run_modes[:MOST_MODES]:
        counts = mode.runs[name]
        note = ONE if mode.id in believed_modes else HABIT
        passed = _passed(run, base, {mode.id})
        yield {**row(mode.id, mode.name, passed, note), "rollouts": counts["rollouts"], "tasks": counts["tasks"]}
    if believed_modes:
        yield row(ALL, f"without {count(len(believed_modes), 'known mode')}", _passed(run, base, believed_modes), EVERY)
    repeats = max((len(cases) for cases in tasks.values()), default=0)
    if repeats > 1:
        note = f"a ceiling: the best of up to {repeats} attempts at each task; rises with repeats"
        best = _mean([max(case.reward for case in cases) for cases in tasks.values()])
        yield row(ORACLE, "best attempt of each task", best, note)
    alike = [reference for reference in runs if reference is not run and tasks.keys() & reference.by_task().keys()]
    reference_scores = [(value, reference) for reference in alike if (value := _score(reference)) is not None]
    if reference_scores:
        value, reference = max(reference_scores, key=lambda pair: (pair[0], pair[1].run.name))
        shared = len(tasks.keys() & reference.by_task().keys())
        note = f"the best of the other runs, over all its tasks; {shared} of them are shared"
        yield {**row(REFERENCE, f"as {reference.run.name} scores", value, note), "reference": reference.run.name}


def _passed(run: RunCases, base: float | None, modes: set[str]) -> float | None:
    """The score if every rollout that fails in one of these modes had passed."""
    if base is None:
        return None
    return base + rewards_of(run).ceiling(case for case in run.failing if case.mode in modes)


def _row(run: str, base: float | None, mode: str, name: str, value: float | None, note: str) -> dict[str, Any]:
    gain = value - base if value is not None and base is not None else None
    return {"run": run, "mode": mode, "name": name, "score": value, "gain": gain, "note": note}
