"""Points lost although the final message gives the expected answer as the prompt asked, or no format was asked for.

A prompt that asks for a format makes this a matter of format, unless the answer stands exactly as asked.

False alarms: a long answer that merely mentions the expected words; a judge that wants more than the key says.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.same_answer import same
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "V02"
FAMILY = "verifier"
TITLE = "lost points although the final message gives the expected answer"
KIND = "verifier"
EXPLAINS = 60
SUPPORTS = {"TI": 2.0}
RELIABILITY = 0.8
READS = ("task", "model", "verifier")
NEEDS = "key"

TAIL = 200
SHORTEST = 3
_DOUBT = late_regex(
    r"\b(?:not|n't|no|never|rather than|instead of|or|either|unlike|except|maybe|perhaps|might|could|"
    r"neither|incorrect|wrong)\b",
    re.IGNORECASE,
)


def detect(attempt: Attempt) -> Sighting:
    if not attempt.lost or attempt.key is None or not attempt.final_text:
        return NOT_APPLICABLE
    if attempt.answer and attempt.key.is_met(attempt.answer[1], attempt.options):
        return CLEAN  # told by the rule about equal answers
    right = attempt.right
    place: tuple[int, int] | None = None
    if right is None:
        mentioned = _mentioned(attempt)
        place = mentioned if mentioned and attempt.wanted is None else None
    elif attempt.wanted is None or (not right.flaw and attempt.wanted.kind in _CHECKED):
        place = (right.reading.start, right.reading.end)
    if place is None:
        return CLEAN
    return fired(
        attempt.cite_final(*place),
        *attempt.cite_key(),
        detail=f"gives the expected answer '{attempt.key.accepted[0][:60]}' in the final message and lost points",
        value=("denied by a judge" if attempt.judge else "stated") if right else "mentioned",
    )


_CHECKED = {"box", "tag", "json", "label"}


def _mentioned(attempt: Attempt) -> tuple[int, int] | None:
    """The expected words near the end of the message, in a sentence without a doubt; no other answer is stated."""
    if any(reading.wrapper != "line" for reading in attempt.stated):
        return None
    text = attempt.final_text
    tail = max(0, len(text) - TAIL)
    for accepted in attempt.key.accepted if attempt.key else ():
        words = accepted.strip()
        if len(words) < SHORTEST:
            continue
        at = text.casefold().rfind(words.casefold(), tail)
        if at < 0 or not same(text[at : at + len(words)], words) or _inside_a_word(text, at, at + len(words)):
            continue
        start = max(text.rfind(". ", 0, at), text.rfind("\n", 0, at)) + 1
        stop = min((end for end in (text.find(". ", at), text.find("\n", at)) if end >= 0), default=len(text))
        if not _DOUBT.search(text[start:at] + " " + text[at + len(words) : stop]):
            return at, at + len(words)
    return None


def _inside_a_word(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    touches = (before[-1:].isalnum() and text[start].isalnum()) or (after[:1].isalnum() and text[end - 1].isalnum())
    number = text[end - 1].isdigit() and re.match(r"[.,]\d|[/^%]", after) is not None
    return touches or number or (text[start].isdigit() and re.search(r"\d[.,]$|[-/^.$]$", before) is not None)
