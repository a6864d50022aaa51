"""A call of a tool that the row does not offer.

Guarded (G1) where a later call of the same purpose went well: the agent noticed and went on with a tool that exists.

False alarms: harnesses that offer tools outside the request (the row then lists none, and the rule does not apply), and
instrumentation that renames tools; a call whose answer is no error is taken for such a case.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded

ID = "T02"
FAMILY = "tool"
TITLE = "call of a tool that is not offered"
KIND = "behaviour"
EXPLAINS = 80
NAMES = "tool"
SUPPORTS = {"KG": 0.7, "BI": 0.5}
RELIABILITY = 1.0
READS = ("model", "tool")
NEEDS = "calls"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.tools or not attempt.calls:
        return NOT_APPLICABLE
    wrong = [call for call in attempt.calls if call.name not in attempt.tools and (call.failed or not call.answers)]
    if not wrong:
        return CLEAN
    first = wrong[0]
    cites = [attempt.cite(call.step) for call in wrong]
    sighting = fired(*cites, detail=f"calls '{first.name}', which is not among the tools offered", value=first.name)
    went_on = any(call.place > wrong[-1].place and call.answers and not call.failed for call in attempt.calls)
    return guarded(sighting, "G1") if went_on else sighting
