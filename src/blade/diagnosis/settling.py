"""The labels of tasks and of single attempts, once all that was found is put together.

A fault of the task found over all runs outweighs what was weighed inside one; so does a fault that the failing rollouts
themselves show. A sign of the agent's own doing settles what was left open, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.rollout_causes import Cause
from blade.findings import Label, TaskFault
from blade.model import Status
from blade.wording import count

MEASUREMENT = frozenset({"TI", "IR", "DA"})
TASK_FAULT = "task_fault"


@dataclass(frozen=True, slots=True)
class Settled:
    tasks: tuple[Label, ...]
    rollouts: tuple[Label, ...]
    """Failed attempts whose label is not that of their task."""


def settle(
    runs: Sequence[RunCases],
    labels: Sequence[Label],
    alone: Sequence[Label],
    causes: Mapping[int, Cause],
    faults: Mapping[str, TaskFault],
) -> Settled:
    """`alone` are the labels of tasks without the attempts that something broke; `faults` tasks at fault themselves."""
    failing: dict[tuple[str, str], list[Case]] = {}
    for run in runs:
        for case in run.failing:
            failing.setdefault((case.run, case.label), []).append(case)
    tasks = {
        (label.run, label.task): _of_task(label, failing.get((label.run, label.task), ()), causes, faults)
        for label in labels
    }
    judged = {
        (label.run, label.task): _of_task(label, failing.get((label.run, label.task), ()), causes, faults)
        for label in alone
    }
    rollouts = [
        made
        for key, cases in failing.items()
        if key in tasks
        for case in cases
        if (made := _of_rollout(case, tasks[key], judged.get(key), causes)) is not None
    ]
    return Settled(tuple(tasks.values()), tuple(rollouts))


def _of_task(label: Label, failing: Sequence[Case], causes: Mapping[int, Cause], faults: Mapping[str, TaskFault]) -> Label:
    if set(label.labels) & MEASUREMENT:
        return label
    fault = faults.get(label.task)
    if fault is not None and fault.struck(label.run):
        return _given(label, "TI", TASK_FAULT, fault.reason)
    judged = [case for case in failing if case.evaluable and case.stage_lost is None]
    found = [causes[id(case)] for case in judged if id(case) in causes]
    if not found:
        return label
    code, many = Counter(cause.label for cause in found).most_common(1)[0]
    if 2 * many < len(judged) or (code not in MEASUREMENT and label.labels != (INSUFFICIENT,)):
        return label
    first = next(cause for cause in found if cause.label == code)
    share = f"{many:,} of {count(len(judged), 'failing attempt')}: " if len(judged) > 1 else ""
    return _given(label, code, first.rule, share + first.why)


def _given(label: Label, code: str, rule: str, why: str) -> Label:
    return replace(label, labels=(code,), confidence=None, calibrated=False, missing="", why=why, rule=rule)


def _of_rollout(case: Case, label: Label, alone: Label | None, causes: Mapping[int, Cause]) -> Label | None:
    """The label of one failed attempt; None where it is that of its task."""
    cause = causes.get(id(case))
    code, why, rule = label.labels[0], "", ""
    if case.stage_lost is not None or case.state == Status.INFRASTRUCTURE.value:
        code, why = "IR", case.reason or "the attempt did not happen or was not judged"
    elif cause is not None and (code == INSUFFICIENT or "IR" in label.labels or cause.label in MEASUREMENT):
        code, why, rule = cause.label, cause.why, cause.rule
    elif "IR" in label.labels and case.evaluable:
        code, why = INSUFFICIENT, "the evidence of the task does not speak of this attempt"
        if alone is not None and alone.labels[0] != "IR":
            code, why, rule = alone.labels[0], alone.why, alone.rule
    if code in label.labels:
        return None
    return Label(case.run, case.label, (code,), None, False, (), "", why, case.attempt, rule)
