"""Every look-up with a tool that fails asks for a value that nobody gave: the model invented it.

The value stands neither in the prompt nor in a user's words nor in a tool's answer before the call, and the tool
answers that there is no such thing.

False alarms: values that can be worked out from given parts, such as another spelling of a name; a value that shares a
word with what was given is left alone where it has several words.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.invented_lookups import inventions
from blade.extract.places import dotted
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "tool"
TITLE = "looks up a value that nobody gave"
KIND = "behaviour"
EXPLAINS = 58
SUPPORTS = {"BI": 1.2}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    if not attempt.failed:
        return CLEAN
    found = [one for one in attempt.once(inventions).values() if not one.by_user]
    if not found:
        return CLEAN
    last = found[-1]
    detail = f"calls '{last.call.name}' with {dotted(last.path)} '{last.value[:60]}', which nobody had given"
    cites = (attempt.cite_value(last.call, last.path), *attempt.cite_problem(last.call))
    return fired(*cites, detail=detail, value=last.call.name)
