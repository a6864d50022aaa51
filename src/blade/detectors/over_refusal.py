"""A refusal in the final message instead of an answer: cannot help, will not, is not able to.

Does not apply where tools were used: there it is an agent's decision about its task.

False alarms: tasks that ought to be refused; a row whose label or key says so is left alone.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.hints import may_hold
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired

ID = "B14"
FAMILY = "behaviour"
TITLE = "refuses to answer"
KIND = "behaviour"
EXPLAINS = 65
SUPPORTS = {"BI": 1.4}
RELIABILITY = 0.6
READS = ("model", "verifier")

HEAD = 300
LONGEST = 1200
_CANNOT = (
    r"(?:can['’]?t|cannot|can not|won['’]t|will not|(?: am|['’]m) (?:not able to|unable to|not comfortable)|"
    r"(?:must|have to) decline to|refuse to)"
)
_REFUSES = re.compile(
    rf"\b(?:I|we)(?:['’]m sorry,? but I)? ?{_CANNOT}\b[^.\n]{{0,40}}?"
    r"\b(?:help|assist|comply|answer|provide|fulfil|fulfill|do that|support|discuss|engage|continue|complete|share|"
    r"give|respond|participate|process|generate|create|offer)\w*|"
    r"\b(?:against|violates?) (?:my|our|the) (?:guidelines|policy|policies|programming|principles)\b|"
    r"\b(?:as|being) an AI (?:language )?(?:model|assistant),? I (?:cannot|can['’]t|am not|am unable|do not|don['’]t)|"
    r"\bnot (?:possible|appropriate) for me to\b|\bI (?:do not|don['’]t) feel comfortable\b|"
    r"\bI(?:['’]d| would) (?:rather|prefer) not\b|"
    r"\bI (?:must|have to) (?:respectfully )?(?:decline|refuse)\b|\bI (?:decline|refuse) to\b",
    re.IGNORECASE,
)
_HINTS = (
    *("can't", "can’t", "cant", "cannot", "can not", "won't", "won’t", "will not", "not able to", "unable", "decline"),
    *("refuse", "against", "violate", "an ai ", "comfortable", "for me to", "rather not", "prefer not"),
)
"""Every refusal holds one of these, in lower case."""
_SHOULD = re.compile(r"unsafe|refus|harmful|abstain|unanswerable|reject", re.IGNORECASE)


def detect(attempt: Attempt) -> Sighting:
    text = attempt.final_text
    if not text or attempt.calls:
        return NOT_APPLICABLE
    match = _REFUSES.search(text, 0, HEAD) if len(text) <= LONGEST and may_hold(text[:HEAD], _HINTS) else None
    if match is None or any(one.wrapper not in {"line", "mark"} for one in attempt.stated):
        return CLEAN
    if any(isinstance(value, str) and len(value) <= 60 and _SHOULD.search(value) for value in attempt.gold.values()):
        return CLEAN
    detail = f"refuses instead of answering: '{match.group(0)[:80]}'"
    return fired(attempt.cite_final(match.start(), match.end()), detail=detail)
