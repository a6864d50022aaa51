"""A tool answers that something else has to come first: nothing initialised, no session, not logged in.

Guarded (G1) where a later call of the same tool went well.

False alarms: texts that a tool only returns and that speak of such things; long answers are not read.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import holds_any
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired, guarded
from blade.late_regex import late_regex

ID = "T09"
FAMILY = "tool"
TITLE = "call before its prerequisite"
KIND = "behaviour"
EXPLAINS = 38
NAMES = "tool"
SUPPORTS = {"KG": 1.0, "BI": 0.6}
RELIABILITY = 0.8
READS = ("model", "tool")
NEEDS = "answers"
READ = 400
SHORT = 200
_HINTS = (
    *("initiali", "logged in", "authenticated", "connected", "started", "opened", "selected", "set up", "no active"),
    *("no current", "no open", "no running", "first", "before", "required"),
)
_FIRST = late_regex(
    r"\b(?:not|has not been|hasn't been|isn't|un)[ -]?(?:yet )?(?:initiali[sz]ed|logged in|authenticated|connected|"
    r"started|opened|selected|set up)\b|\bno (?:active|current|open|running) (?:\w+ )?(?:session|connection|game|"
    r"transaction|browser|page|file|user|cart)\b|\b(?:must|need(?:s)? to|have to|has to|required to|should|please) "
    r"[^.\n]{1,60}?\b(?:first|before)\b|\bcall '?`?\w+(?:\(\))?'?`? (?:first|before)\b|\bbefore you can\b|"
    r"\b(?:authentication|login|log in|sign in|verification) (?:is )?required\b",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.answered:
        return NOT_APPLICABLE
    short = [call.answer.text for call in attempt.answered if call.answer and len(call.answer.text) <= READ]
    if not holds_any("\n".join(short).lower(), _HINTS):
        return CLEAN
    hidden: Sighting | None = None
    for call in attempt.calls:
        answer = call.answer
        match = (
            _FIRST.search(answer.text)
            if answer and len(answer.text) <= (READ if call.failed else SHORT) and attempt.holds(answer, _HINTS)
            else None
        )
        if answer is None or match is None:
            continue
        cites = [attempt.cite(answer, match.start(), match.end()), attempt.cite(call.step, 0, 120)]
        detail = f"calls '{call.name}' before what it needs (“{_short(match.group(0))}”)"
        sighting = fired(*cites, detail=detail, value=call.name)
        if not _went_on(attempt, call):
            return sighting
        hidden = hidden or guarded(sighting, "G1")
    return hidden or CLEAN


def _went_on(attempt: Attempt, call: Call) -> bool:
    """A later call of the tool that went well and does not say the same again."""
    return any(
        later.name == call.name and later.answer and not later.failed and later.answer.text != call.answer.text
        for later in attempt.after(call)
        if call.answer
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:80]
