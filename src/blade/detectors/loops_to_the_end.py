"""The same calls with the same answers, over and over, until the rollout ends among them.

One call three times or more to the end, or most of the later calls made before. The first is cited (G5), and the last:
nothing came after it, so a limit or a breakdown ended the loop.

False alarms: waiting and polling are left out by the tool's name; an action of a game may rightly be repeated to the
end, and a recording that was cut short may hide what came after.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.going_round import rounds
from blade.extract.repeated_calls import OFTEN
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "behaviour"
TITLE = "same calls repeated until stopped"
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
    if attempt.ends_by_itself:
        return CLEAN
    last = attempt.calls[-1]
    run = next((run for run in attempt.repeated if run[-1] is last), None)
    if run is None or not any(call is run[-OFTEN] for call in attempt.calls[-2 * OFTEN :]):
        return _rounds(attempt)
    cites = [attempt.cite(run[0].step, 0, 120), attempt.cite(last.step, 0, 120)]
    if last.answer is not None:
        cites.append(attempt.cite(last.answer, 0, 120))
    detail = f"makes the same call of '{last.name}' {len(run)} times with the same answer and ends there"
    return fired(*cites, detail=detail, value=last.name)


def _rounds(attempt: Attempt) -> Sighting:
    """Calls that come round in another order than one after the other."""
    again = attempt.once(rounds)
    last = attempt.answered[-1]
    if again is None or not any(call.key == last.key for call in attempt.answered[:-1]):
        return CLEAN
    first = next(call for call in attempt.answered if call.key == last.key)
    detail = f"{again[0]:,} of its last {again[1]:,} calls were made before and get the answer that they got then"
    return fired(attempt.cite(first.step, 0, 120), attempt.cite(last.step, 0, 120), detail=detail, value=last.name)
