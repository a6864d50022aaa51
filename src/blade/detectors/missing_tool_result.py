"""A call that never got a result, though the rollout went on.

The last round is left out (the harness may have stopped there), and so are calls that hand in the work and calls whose
result is recorded inside the call itself.

False alarms: harnesses that drop outputs on purpose (long ones, pictures) and tools that answer nothing.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.model import StepKind

ID = "I12"
FAMILY = "infrastructure"
TITLE = "a tool call got no result"
KIND = "infrastructure"
EXPLAINS = 55
SUPPORTS = {"IR": 1.0}
RELIABILITY = 1.0


def detect(attempt: Attempt) -> Sighting:
    calls = attempt.calls
    answered = [call for call in calls if call.answers]
    if not answered:
        return NOT_APPLICABLE
    if sum(len(call.answers) for call in calls) >= len(calls):
        return CLEAN
    last_heard = max(place for place, step in enumerate(attempt.steps) if step.kind is StepKind.OUTPUT)
    lost = [
        call
        for call in calls
        if not call.answers and call.place < last_heard and not call.finishes and not call.name.endswith("_call")
    ]
    if not lost:
        return CLEAN
    name = lost[0].name
    cites = [attempt.cite(call.step) for call in lost]
    return fired(*cites, detail=f"a call of '{name}' got no result and the rollout went on", value=name)
