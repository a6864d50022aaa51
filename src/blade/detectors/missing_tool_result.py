"""A call that never got a result, though the rollout went on.

The last round is left out (the harness may have stopped there), and so are calls that hand in the work and calls whose
result is recorded inside the call itself. Where the harness answers calls made together with one output, or runs only
the first of them, one output stands for all.

False alarms: harnesses that drop outputs on purpose (long ones, pictures) and tools that answer nothing.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.model import StepKind

ID = "I12"
FAMILY = "infrastructure"
TITLE = "tool call without a result"
KIND = "infrastructure"
EXPLAINS = 55
NAMES = "tool"
SUPPORTS = {"IR": 1.0}
RELIABILITY = 1.0
READS = ("model",)
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    calls = attempt.calls
    if not attempt.answered:
        return NOT_APPLICABLE
    if sum(len(call.answers) for call in calls) >= len(calls):
        return CLEAN
    rounds = _rounds(attempt)
    one_for_all = not any(len(group) > 1 and all(call.answers for call in group) for group in rounds)
    rounds = [group for group in rounds[:-1] if not (one_for_all and any(call.answers for call in group))]
    unanswered = [call for group in rounds for call in group if not call.answers and not _quiet(call)]
    if not unanswered:
        return CLEAN
    name = unanswered[0].name
    cites = [attempt.cite(call.step) for call in unanswered]
    return fired(*cites, detail=f"a call of '{name}' got no result and the rollout went on", value=name)


def _rounds(attempt: Attempt) -> list[list[Call]]:
    """The calls in groups that no output and no message parts."""
    groups: list[list[Call]] = []
    by_place = {call.place: call for call in attempt.calls}
    open_group = False
    for place, step in enumerate(attempt.steps):
        if place in by_place:  # a step that echoes the call before it is no call of its own
            if not open_group:
                groups.append([])
            groups[-1].append(by_place[place])
        open_group = step.kind is StepKind.CALL or (open_group and step.kind is StepKind.THOUGHT)
    return groups


def _quiet(call: Call) -> bool:
    return call.finishes or call.name.endswith("_call")
