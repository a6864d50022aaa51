"""No response at all: the row holds none, or one without a single item.

Not applicable where the row shows that something was produced and only the transcript was not kept: a score, graded
checks, an artefact, tokens used, turns taken, a word that no transcript is available; nor where turns stand in the row
in a shape that is not read.

False alarms: rows masked on purpose (left out), and harnesses that keep the transcript in a file of their own and leave
no other sign of it in the row.
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.extract.numbers import number
from blade.extract.unread_transcript import unread_transcript
from blade.extract.usage import usage_facts
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "P02"
FAMILY = "pipeline"
TITLE = "no response recorded"
KIND = "infrastructure"
EXPLAINS = 85
SUPPORTS = {"IR": 2.0}
RELIABILITY = 1.0
READS = ("verifier",)

_MADE = frozenset("patch response generation output completion text code answer transcript deliverables proof".split())
_WORKED = frozenset("turn turns step steps tokens actions calls messages".split())
_TRANSCRIPT = frozenset("transcript trajectory trace".split())
_LIMITS = frozenset("max limit total expected budget n".split())


def detect(attempt: Attempt) -> Sighting:
    if attempt.steps:
        return CLEAN
    if attempt.row.get("mask_sample") is True or _worked(attempt):
        return NOT_APPLICABLE
    response: Any = attempt.row.get("response")
    if isinstance(response, dict):
        return fired(attempt.cite_field("response.output"), detail="the response holds no item", value="empty")
    return fired(attempt.cite_field("response"), detail="the row holds no response", value="absent")


def _worked(attempt: Attempt) -> bool:
    """Whether the row tells of work that the transcript does not show, or keeps one in a shape that is not read."""
    if (attempt.reward or 0) > 0 or any(check.several for check in attempt.checks) or unread_transcript(attempt.row):
        return True
    used = usage_facts(attempt.row.get("response")).get("output_tokens")
    if used:
        return True
    for name, value in attempt.fields.items():
        have = set(words(name))
        if have & _TRANSCRIPT and value is False:
            return True
        if have & _WORKED and not have & _LIMITS and not isinstance(value, bool) and (number(value) or 0) > 0:
            return True
    return any(set(words(key)) & _MADE and isinstance(value, str) and value for key, value in attempt.row.items())
