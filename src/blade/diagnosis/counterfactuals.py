"""What the score of a run would be if things were otherwise: without a mode, without all, with the best attempt each.

Ceilings to compare modes by, not points to plan with: those are in the interventions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.habits import habits
from blade.diagnosis.modes import UNEXPLAINED, ways
from blade.findings import Mode
from blade.stats.ablation import Tasks, Tried, best, score, scorer
from blade.wording import count

MOST_MODES = 12
BASELINE = "baseline"
ALL = "all modes"
ORACLE = "oracle"
REFERENCE = "reference"
ONE = "per task the attempts without it, averaged; a ceiling that rises with repeats; rows do not add up"
HABIT = "its sign stands on passing attempts as readily: no cause by itself, and left out of the line for all modes"
Row = Mapping[str, Any]


def counterfactuals(runs: Sequence[RunCases], modes: Sequence[Mode]) -> tuple[Row, ...]:
    """The table of every run that failed at anything, run by run."""
    return tuple(row for run in runs if run.failing for row in _table(run, runs, modes))


def _tasks(run: RunCases) -> Tasks:
    if "tried" not in run.known:
        run.known["tried"] = [[Tried(case.reward, ways(case)) for case in cases] for cases in run.by_task().values()]
    return run.known["tried"]  # type: ignore[no-any-return]


def _score(run: RunCases) -> float | None:
    if "scored" not in run.known:
        run.known["scored"] = score(_tasks(run))
    return run.known["scored"]  # type: ignore[no-any-return]


def _table(run: RunCases, runs: Sequence[RunCases], modes: Sequence[Mode]) -> Iterator[Row]:
    name = run.run.name
    tasks = _tasks(run)
    base, rescored = _score(run), scorer(tasks)
    row = partial(_row, name, base)
    here = [mode for mode in modes if mode.runs.get(name, {}).get("rollouts") and mode.id != UNEXPLAINED]
    here.sort(key=lambda mode: (-mode.runs[name]["rollouts"], mode.id))
    seen = habits(run)
    told = [mode for mode in here if not (mode.detector and seen.is_habit(mode.detector))]
    yield row(BASELINE, "as scored", base, f"mean over {count(len(tasks), 'task')}")
    for mode in here[:MOST_MODES]:
        counts = mode.runs[name]
        without = rescored({mode.id})
        note = ONE if mode in told else HABIT
        yield {**row(mode.id, mode.name, without, note), "rollouts": counts["rollouts"], "tasks": counts["tasks"]}
    if told:
        note = "per task the attempts that no known mode touches; the rows above do not add up to it"
        every = rescored({mode.id for mode in told})
        yield row(ALL, f"without {count(len(told), 'known mode')}", every, note)
    repeats = max((len(group) for group in tasks), default=0)
    if repeats > 1:
        note = f"the best of up to {repeats} attempts at each task; no repair reaches it by itself; rises with repeats"
        yield row(ORACLE, "best attempt of each task", best(tasks), note)
    others = [(value, other) for other in runs if other is not run and (value := _score(other)) is not None]
    if others:
        value, other = max(others, key=lambda pair: (pair[0], pair[1].run.name))
        shared = len(run.by_task().keys() & other.by_task().keys())
        note = f"the best of the other runs, over all its tasks; {shared} of them are shared"
        yield {**row(REFERENCE, f"as {other.run.name} scores", value, note), "reference": other.run.name}


def _row(run: str, base: float | None, mode: str, name: str, value: float | None, note: str) -> dict[str, Any]:
    gain = value - base if value is not None and base is not None else None
    return {"run": run, "mode": mode, "name": name, "score": value, "gain": gain, "note": note}
