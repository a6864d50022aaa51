"""Failures at a check that the prompt states and that others meet at the task: an instruction that was not followed.

Verifiers of instructions name each check with its arguments, and prompts say these. Where prompt and check differ, or
nobody meets the check beside the others, the check may be at fault; where prompts do not say what checks want, they
are no instructions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.rollout_causes import Cause
from blade.wording import short_name

BROKEN = "breaks_a_stated_check"
MOSTLY = 0.8
"""So many of all arguments stand in the prompts."""


def broken_checks(runs: Sequence[RunCases]) -> dict[int, Cause]:
    """The cause of such failures, by the identity of the case."""
    cases = [case for run in runs for case in run.observing("check_arguments")]
    stated = [bool(entry[4]) for case in cases for entry in case.observed["check_arguments"]]
    if not stated or sum(stated) < MOSTLY * len(stated):
        return {}
    met_by_task: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for case in cases:
        met_by_task[case.key].add(_met(case))
    causes: dict[int, Cause] = {}
    for case in cases:
        met_here = _met(case)
        met_beside = {name for names in met_by_task[case.key] if names > met_here for name in names - met_here}
        broken = next((name for name in _stated_and_broken(case) if name in met_beside), None)
        if not case.passed and broken is not None:
            reason = f"does not meet “{short_name(broken)}”, which others meet at this task with all that it meets"
            causes[id(case)] = Cause("BI", BROKEN, reason)
    return causes


def _met(case: Case) -> frozenset[str]:
    return frozenset(name for name, is_met in case.checks.items() if is_met)


def _stated_and_broken(case: Case) -> list[str]:
    """Checks that are not met, without those of which the prompt leaves out an argument."""
    unstated = {entry[0] for entry in case.observed["check_arguments"] if not entry[4]}
    return [name for name, is_met in case.checks.items() if not is_met and name not in unstated]
