"""The labels of tasks and of single attempts, once all that was found is put together.

A fault of the task found over all runs outweighs what was weighed inside one; so does a fault that the failing rollouts
themselves show. A sign of the agent's own doing settles what was left open, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.label_evidence import OF_ANSWERS
from blade.diagnosis.rollout_causes import ENDED_EARLY, OUT_OF_ORDER, Cause
from blade.diagnosis.run_wide_evidence import TOOL
from blade.findings import Label, TaskFault
from blade.frozen import frozen
from blade.model import Status
from blade.registry import plugins
from blade.wording import count

MEASUREMENT = frozenset({"TI", "IR", "DA"})
NO_TRIAL = "no_trial"
FEWEST_LOST = 2
LOST_EVERYWHERE = "lost_everywhere"
_LOST_WHY = "half of its attempts or more are lost in every run, and few of other tasks: it is the task's, no outage"
TASK_FAULT = "task_fault"
ABOUT_ANSWERS = frozenset({"sometimes_right", *OF_ANSWERS})
OF_VERIFIER = "verifier"
"""The family of rules about one verdict."""


@frozen
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
    sole: Collection[int] | None = None,
) -> Settled:
    """`alone` are the labels of tasks without the attempts that something broke; `faults` tasks at fault themselves.

    `sole` are the failures that a user ended by accepting and in which nothing else is known to be wrong.
    """
    failing: dict[tuple[str, str], list[Case]] = {}
    for run in runs:
        for case in run.failing:
            failing.setdefault((case.run, case.label), []).append(case)
    labels = [_doubted(label, failing.get((label.run, label.task), ()), sole) for label in labels]
    everywhere = lost_everywhere(runs)
    labels = [_of_lost(label, failing.get((label.run, label.task), ()), everywhere) for label in labels]
    tasks = {
        (label.run, label.task): _of_task(label, failing.get((label.run, label.task), ()), causes, faults)
        for label in labels
    }
    judged_labels = {
        (label.run, label.task): _of_task(label, failing.get((label.run, label.task), ()), causes, faults)
        for label in alone
    }
    rollouts = [
        label
        for key, cases in failing.items()
        if key in tasks
        for case in cases
        if (label := _of_rollout(case, tasks[key], judged_labels.get(key), causes, everywhere)) is not None
    ]
    return Settled(tuple(tasks.values()), tuple(rollouts))


def _doubted(label: Label, failing: Sequence[Case], sole: Collection[int] | None) -> Label:
    """A label that rests on a user who accepted and left is open where something else is wrong as well."""
    ended = [case for case in failing if ENDED_EARLY in case.fired()]
    if label.rule != ENDED_EARLY or sole is None or 2 * sum(id(case) in sole for case in ended) >= len(ended):
        return label
    reason = "the user accepts and ends before the agreed change, but something else is wrong as well"
    return _relabelled(label, INSUFFICIENT, "", reason)


def _of_task(
    label: Label, failing: Sequence[Case], causes: Mapping[int, Cause], faults: Mapping[str, TaskFault]
) -> Label:
    if set(label.labels) & MEASUREMENT:
        return label
    fault = faults.get(label.task)
    if fault is not None and fault.struck(label.run):
        return _relabelled(label, "TI", TASK_FAULT, fault.reason)
    judged_failures = [case for case in failing if case.evaluable and case.stage_lost is None]
    causes_known = [causes[id(case)] for case in judged_failures if id(case) in causes]
    if not causes_known:
        return label
    code, rollouts = Counter(cause.label for cause in causes_known).most_common(1)[0]
    first = next(cause for cause in causes_known if cause.label == code)
    settles = code in MEASUREMENT or label.labels == (INSUFFICIENT,) or _says_more(first, label)
    if 2 * rollouts < len(judged_failures) or not settles:
        return label
    share = f"{rollouts:,} of {count(len(judged_failures), 'failing attempt')}: " if len(judged_failures) > 1 else ""
    return _relabelled(label, code, first.rule, share + first.why)


def _says_more(cause: Cause, label: Label) -> bool:
    """That a call came out of order says why it failed; that answers are wrong, or others right, says nothing of it."""
    return (cause.rule == OUT_OF_ORDER and label.rule == TOOL) or label.rule in ABOUT_ANSWERS


def _relabelled(label: Label, code: str, rule: str, reason: str) -> Label:
    return replace(label, labels=(code,), confidence=None, calibrated=False, missing="", why=reason, rule=rule)


def lost_everywhere(runs: Sequence[RunCases]) -> frozenset[tuple[str, str]]:
    """Runs and tasks, of tasks that lose half of their attempts or more in every run, two at least.

    Only runs that judge most of their attempts tell: what keeps the same task from a start or a verdict in all of them
    is the task's own doing.
    """
    tasks: dict[str, dict[str, bool]] = {}
    for run in runs:
        trials = [case for case in run.cases if case.stage_lost != NO_TRIAL]
        if 2 * sum(case.stage_lost is not None for case in trials) >= len(trials):
            continue
        for key, cases in run.by_task().items():
            trials_of_task = [case for case in cases if case.stage_lost != NO_TRIAL]
            trials_lost = sum(case.stage_lost is not None for case in trials_of_task)
            if trials_of_task:
                tasks.setdefault(key, {})[run.run.name] = trials_lost >= FEWEST_LOST and 2 * trials_lost >= len(
                    trials_of_task
                )
    alike = {
        key: trials_lost for key, trials_lost in tasks.items() if len(trials_lost) > 1 and all(trials_lost.values())
    }
    return frozenset((run, key) for key, trials_lost in alike.items() for run in trials_lost)


def _of_lost(label: Label, failing: Sequence[Case], everywhere: Collection[tuple[str, str]]) -> Label:
    if "IR" in label.labels and any((case.run, case.key) in everywhere for case in failing):
        return _relabelled(label, "TI", LOST_EVERYWHERE, _LOST_WHY)
    return label


def _shows_no_sign(case: Case, label: Label) -> bool:
    """Whether a verifier's fault in single attempts gave the task its label, and this attempt shows none."""
    rule = plugins("detectors").get(label.rule)
    return rule is not None and rule.FAMILY == OF_VERIFIER and label.rule not in case.fired()


def _of_rollout(
    case: Case, label: Label, alone: Label | None, causes: Mapping[int, Cause], everywhere: Collection[tuple[str, str]]
) -> Label | None:
    """The label of one failed attempt; None where it is that of its task."""
    cause = causes.get(id(case))
    code, reason, rule = label.labels[0], "", ""
    if case.stage_lost not in {None, NO_TRIAL} and (case.run, case.key) in everywhere:
        code, reason, rule = "TI", _LOST_WHY, LOST_EVERYWHERE
    elif case.stage_lost is not None or case.state == Status.INFRASTRUCTURE.value:
        code, reason = "IR", case.reason or "the attempt did not happen or was not judged"
    elif cause is not None and (code == INSUFFICIENT or "IR" in label.labels or cause.label in MEASUREMENT):
        code, reason, rule = cause.label, cause.why, cause.rule
    elif code != INSUFFICIENT and case.evaluable and _shows_no_sign(case, label):
        code, reason = INSUFFICIENT, "the sign that the task is labelled by is not of this attempt"
    elif "IR" in label.labels and case.evaluable:
        code, reason = INSUFFICIENT, "the evidence of the task does not speak of this attempt"
        if alone is not None and alone.labels[0] != "IR":
            code, reason, rule = alone.labels[0], alone.why, alone.rule
    if code in label.labels:
        return None
    return Label(case.run, case.label, (code,), None, False, (), "", reason, case.attempt, rule)
