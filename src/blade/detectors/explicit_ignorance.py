"""A final message that says it does not know, or a verdict that the answer abstains.

False alarms: benchmarks that reward abstention; a message that says so of a side question.
"""

from __future__ import annotations

import re

from blade.extract.answer_candidates import LAST
from blade.extract.attempt import Attempt
from blade.extract.field_roles import where
from blade.extract.names import words
from blade.extract.prefilter import holds_any, may_hold
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "K08"
FAMILY = "knowledge"
TITLE = "admitted lack of knowledge"
KIND = "knowledge"
EXPLAINS = 35
SUPPORTS = {"KG": 1.2}
RELIABILITY = 0.6
READS = ("model",)

LONGEST = 600
_UNKNOWING = late_regex(
    r"\[IDK\]|\bI (?:really |simply |honestly )?(?:don['’]t|do not) (?:actually )?"
    r"(?:know|have (?:enough|sufficient|any) (?:information|knowledge))\b|"
    r"\bI(?:'m|’m| am) (?:not (?:sure|certain|aware)|unsure|uncertain)\b|\bI have no (?:idea|knowledge)\b|"
    r"\b(?:answer|it) is (?:unknown to me|not known to me)\b",
    re.IGNORECASE,
)
_CUES = ("idk", "know", "sure", "certain", "aware", "no idea", "enough", "sufficient", "any information")
_HINTS = (
    *("[idk]", "t know", "t actually know", "enough ", "sufficient ", "any ", "not sure", "not certain", "not aware"),
    *("unsure", "uncertain", "no idea", "no knowledge", "known to me"),
)
"""Words of not knowing hold one of these, in lower case."""
_ABSTAINS = frozenset("abstains abstained idk".split())


def _tells_abstaining(name: str) -> bool:
    return bool(set(words(name)) & _ABSTAINS) and "correct" not in words(name)


def detect(attempt: Attempt) -> Sighting:
    for name in where(attempt.fields, _tells_abstaining):
        if attempt.fields[name] is True:
            return fired(attempt.cite_field(name), detail=f"abstains, as {name} says", value="verdict")
    text = attempt.final_text
    if not text:
        return NOT_APPLICABLE
    lowered = text[-LAST:].lower()
    if not holds_any(lowered, _CUES):
        return CLEAN
    for reading in attempt.stated if "idk" in lowered or "know" in lowered else ():
        if reading.wrapper not in {"line", "mark"} and reading.text.strip(" []().").casefold() in {
            "idk",
            "i don't know",
            "unknown to me",
        }:
            detail = f"answers '{reading.text[:40]}'"
            return fired(attempt.cite_final(reading.start, reading.end), detail=detail, value="answer")
    short = len(text) <= LONGEST and not attempt.calls
    match = _UNKNOWING.search(text) if short and may_hold(text, _HINTS) else None
    if match is None or any(reading.wrapper not in {"line", "mark"} for reading in attempt.stated):
        return CLEAN
    detail = f"says '{match.group(0)}' instead of an answer"
    return fired(attempt.cite_final(match.start(), match.end()), detail=detail, value="words")
