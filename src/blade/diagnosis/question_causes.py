"""The causes of failing rollouts that questions of all rollouts name, beside those that a rollout shows by itself.

An answer may hold `causes`: a label, why, and the rollouts. What speaks of key, verifier or machines comes before what
speaks of the model, and what a rollout shows by itself before what a question says of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.broken_checks import broken_checks
from blade.diagnosis.cases import RunCases
from blade.diagnosis.own_passes import own_passes
from blade.diagnosis.rollout_causes import Cause, rollout_causes
from blade.diagnosis.task_labels import MEASUREMENT
from blade.diagnosis.unanswerable import filled_in
from blade.findings import TaskFault

Place = tuple[str, str, int]


def known_causes(
    runs: Sequence[RunCases], answers: Mapping[str, Mapping[str, Any]], faults: Mapping[str, TaskFault]
) -> dict[int, Cause]:
    """The cause of every failing, judged rollout of which one is known, by the identity of the case."""
    by_place: dict[Place, Cause] = {}
    for name, answer in answers.items():
        for place, cause_of_place in _named(name, answer):
            if place not in by_place or _outranks(cause_of_place, by_place[place]):
                by_place[place] = cause_of_place
    causes = rollout_causes(runs)
    for run in runs:
        for case in run.failing:
            cause = by_place.get((case.run, case.label, case.attempt))
            if cause is None or not case.evaluable or case.stage_lost is not None:
                continue
            if id(case) not in causes or _outranks(cause, causes[id(case)]):
                causes[id(case)] = cause
    causes = broken_checks(runs) | filled_in(runs) | causes
    unclean = {entry["run"] for entry in answers.get("repeated_results", {}).get("runs", ())}
    return own_passes(runs, causes.keys(), faults, unclean) | causes


def _outranks(cause: Cause, other: Cause) -> bool:
    """Whether one speaks of the measurement and the other of the model."""
    return cause.label in MEASUREMENT and other.label not in MEASUREMENT


def _named(question: str, answer: Mapping[str, Any]) -> Iterator[tuple[Place, Cause]]:
    for entry in answer.get("causes", ()):
        for run, task, attempt in entry["rollouts"]:
            yield (run, task, attempt), Cause(entry["label"], question, entry["why"])
