"""The same call with the same answer, three times or more, before the rollout goes on to something else.

The first is cited (G5). A loop that lasts to the end of the rollout has a rule of its own.

False alarms: waiting, polling and turning pages are left out by the tool's name, and a check repeated after a change
counts anew; an action of a game may rightly be made three times over.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "same call again and again"
KIND = "behaviour"
EXPLAINS = 30
NAMES = "tool"
SUPPORTS = {"BI": 1.2}
RELIABILITY = 1.0
READS = ("model", "tool")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    runs = [run for run in attempt.repeated if run[-1] is not attempt.calls[-1] or attempt.ends_by_itself]
    if not runs:
        return CLEAN
    run = max(runs, key=len)
    detail = f"makes the same call of '{run[0].name}' {len(run)} times and gets the same answer"
    return fired(*(attempt.cite(call.step, 0, 120) for call in run[:3]), detail=detail, value=run[0].name)
