"""Labels, interventions and counterfactuals from the cases, their modes and what was counted about the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from blade.diagnosis.attribution import attribution
from blade.diagnosis.cases import RunCases
from blade.diagnosis.counterfactuals import counterfactuals
from blade.diagnosis.interventions import find_interventions
from blade.diagnosis.labels import find_labels
from blade.diagnosis.question_causes import known_causes
from blade.diagnosis.readings import overrule, readings, summaries
from blade.diagnosis.rollout_causes import sole_acceptances
from blade.diagnosis.task_labels import Settled, settle
from blade.findings import Intervention, Label, Mode, MoreRoom, TaskFault
from blade.frozen import frozen
from blade.model import Change, RunAnalysis

FEW_RUNS = 2
MOST_OF_OTHERS = 6


@frozen
class Diagnosis:
    labels: tuple[Label, ...]
    rollout_labels: tuple[Label, ...]
    interventions: tuple[Intervention, ...]
    counterfactuals: tuple[Mapping[str, Any], ...]
    readings: tuple[Mapping[str, Any], ...]
    other_interventions: tuple[Intervention, ...] = ()
    """Of the runs before the last, the most worthwhile of each, where there are more than two."""


def diagnose(
    cases: Sequence[RunCases],
    modes: Sequence[Mode],
    health: Sequence[Mapping[str, Any]],
    analyses: Sequence[RunAnalysis],
    changes: Sequence[Change],
    faults: Mapping[str, TaskFault],
    more_room: Mapping[str, MoreRoom] = MappingProxyType({}),
    answers: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Diagnosis:
    """Why the tasks fail, and what to do about it; interventions speak of the last run.

    `faults` are tasks that were found at fault themselves, each with the reason; `more_room` is what twice the limit of
    a run may bring; `answers` are those of the questions, which may name causes of rollouts.
    """
    by_engine = _engine_labels(cases, modes, health, faults, answers)
    notes = readings(cases)
    final = overrule(by_engine, cases, notes)
    labels = final.tasks
    last = analyses[-1] if analyses else None
    interval = changes[-1].interval if changes else last.metrics["score_interval"] if last else None
    planned = find_interventions(
        cases,
        modes,
        labels,
        half_width=(interval[1] - interval[0]) / 2 if interval else None,
        ledger=attribution(changes, cases),
        faults=faults,
        sole=sole_acceptances(cases),
        more_room=more_room.get(cases[-1].run.name) if cases else None,
    )
    reading_summaries = summaries(cases, notes, by_engine)
    other_runs = _of_others(cases, modes, labels, faults, more_room, planned) if len(cases) > FEW_RUNS else ()
    return Diagnosis(labels, final.rollouts, planned, counterfactuals(cases, modes), reading_summaries, other_runs)


def _of_others(
    cases: Sequence[RunCases],
    modes: Sequence[Mode],
    labels: tuple[Label, ...],
    faults: Mapping[str, TaskFault],
    more_room: Mapping[str, MoreRoom],
    planned: Sequence[Intervention],
) -> tuple[Intervention, ...]:
    """What to change in each of the other runs: of several agents none is the candidate.

    Of each run the first few, and what is told of another run, too: it would else look as if this run were spared.
    """
    per_run: list[tuple[Intervention, ...]] = []
    sole = sole_acceptances(cases)
    for run in cases[:-1]:
        last = [*(other_run for other_run in cases if other_run is not run), run]
        room = more_room.get(run.run.name)
        per_run.append(find_interventions(last, modes, labels, faults=faults, sole=sole, more_room=room))
    recommended = {item.change for item in planned} | {
        item.change for items in per_run for item in items[:MOST_OF_OTHERS]
    }
    return tuple(
        item for items in per_run for at, item in enumerate(items) if at < MOST_OF_OTHERS or item.change in recommended
    )


def _engine_labels(
    cases: Sequence[RunCases],
    modes: Sequence[Mode],
    health: Sequence[Mapping[str, Any]],
    faults: Mapping[str, TaskFault],
    answers: Mapping[str, Mapping[str, Any]],
) -> Settled:
    """The labels of tasks, then of attempts; what was judged beside broken attempts is weighed by itself."""
    labels = find_labels(cases, modes, health)
    mixed = {(label.run, label.task) for label in labels if "IR" in label.labels}
    judged_runs = [run.judged_alone(mixed) for run in cases]
    alone = (
        find_labels([run for run in judged_runs if run.cases], modes, health)
        if any(run.failing for run in judged_runs)
        else ()
    )
    return settle(cases, labels, alone, known_causes(cases, answers, faults), faults, sole_acceptances(cases))
