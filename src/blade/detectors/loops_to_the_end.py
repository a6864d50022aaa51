"""The same call with the same answer, three times or more, until the rollout ends on it.

The first is cited (G5), and the last: nothing came after it, so a limit or a breakdown ended the loop.

False alarms: waiting and polling are left out by the tool's name; an action of a game may rightly be repeated to the
end, and a recording that was cut short may hide what came after.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.repeated_calls import OFTEN
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "same call repeated until stopped"
KIND = "behaviour"
EXPLAINS = 76
NAMES = "tool"
SUPPORTS = {"BI": 1.8}
RELIABILITY = 1.0
READS = ("model",)
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    last = attempt.calls[-1]
    run = next((run for run in attempt.repeated if run[-1] is last), None)
    if run is None or attempt.ends_by_itself or not any(call is run[-OFTEN] for call in attempt.calls[-2 * OFTEN :]):
        return CLEAN
    cites = [attempt.cite(run[0].step, 0, 120), attempt.cite(last.step, 0, 120)]
    if last.answer is not None:
        cites.append(attempt.cite(last.answer, 0, 120))
    detail = f"makes the same call of '{last.name}' {len(run)} times with the same answer and ends there"
    return fired(*cites, detail=detail, value=last.name)
