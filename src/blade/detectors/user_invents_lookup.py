"""Look-ups with a tool fail because the simulated user gave a value of its own invention.

The user says the value; the instruction that it was given, the prompt and the tools' answers do not have it, and the
tool answers that there is no such thing.

False alarms: a user whose instruction leaves a value open on purpose, to see whether the agent refuses it.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.invented_lookups import inventions
from blade.extract.places import dotted
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "verifier"
TITLE = "the simulated user gives a value of its own invention"
KIND = "verifier"
EXPLAINS = 58
SUPPORTS = {"TI": 1.2}
RELIABILITY = 0.8
READS = ("task", "model", "tool", "user")
NEEDS = "answers"


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    if not attempt.failed:
        return CLEAN
    found = [one for one in attempt.once(inventions).values() if one.by_user]
    if not found:
        return CLEAN
    last = found[-1]
    detail = f"calls '{last.call.name}' with {dotted(last.path)} '{last.value[:60]}', which the user made up"
    cites = (attempt.cite_value(last.call, last.path), *attempt.cite_problem(last.call))
    return fired(*cites, detail=detail, value=last.call.name)
