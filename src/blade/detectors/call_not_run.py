"""A call that the model wrote as text and the harness did not run: it went on to the user as words.

Calls of the same rollout that were written otherwise were taken and answered, so that the form is known there; this one
is followed by the user's words.

False alarms: a call that is shown to a user who asked to see it.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.unrun_calls import unrun_calls
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = ""
FAMILY = "pipeline"
TITLE = "call in a form that is not executed"
KIND = "format"
EXPLAINS = 63
NAMES = "tool"
SUPPORTS = {"BI": 1.6}
RELIABILITY = 0.8
READS = ("model", "user")
NEEDS = "answers"
_QUOTE = 120


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    unrun = unrun_calls(attempt)
    if not unrun:
        return CLEAN
    names = list(dict.fromkeys(call.name for _, call in unrun))
    cites = [attempt.cite(step, call.start, call.start + _QUOTE) for step, call in unrun[:3]]
    form = "in another form than those that were run: it goes on to the user as words"
    detail = f"writes {_calls(len(unrun), names[0])} {form}"
    return fired(*cites, detail=detail, value=names[0])


def _calls(number: int, name: str) -> str:
    return f"a call of '{name}'" if number == 1 else f"{number} calls, the first of '{name}',"
