"""A refusal in the final message instead of an answer: cannot help, will not, is not able to.

It opens the message and is about this request. What answers in part, names what lies outside its scope, or lacks a tool
or a piece of information is no such refusal, nor is one that the prompt itself asks for. Does not apply where tools
were used: there it is an agent's decision about its task.

False alarms: tasks that ought to be refused; a row whose label or key says so is left alone.
"""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.prefilter import may_hold
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex

ID = "B14"
FAMILY = "behaviour"
TITLE = "refusal to answer"
KIND = "behaviour"
EXPLAINS = 65
SUPPORTS = {"BI": 1.4}
RELIABILITY = 0.6
READS = ("task", "model", "verifier")

HEAD = 300
LONGEST = 1200
LEAD = 80
"""Characters before a refusal: an apology or a greeting. What says more before it has said something else."""
PART = 300
"""Characters behind a refusal that turns to what can be said: from there on the question is answered in part."""
_CANNOT = (
    r"(?:can['’]?t|cannot|can not|won['’]t|will not|(?: am|['’]m) (?:not able to|unable to|not comfortable)|"
    r"(?:must|have to) decline to|refuse to)"
)
_REFUSES = late_regex(
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
_TURNS = late_regex(
    r"\b(?:however|but|instead|that said|what I can|here(?:['’]s| is| are)|you (?:can|could|may|might))\b|"
    r"^\s*(?:[-*•]|\d+[.)]) ",
    re.IGNORECASE | re.MULTILINE,
)
_ASIDE = late_regex(
    r"\b(?:unrelated|irrelevant|out(?:side)? of (?:the |my |our )?scope|outside|beyond (?:the|my|our|what)|"
    r"off[- ]topic|not (?:related|relevant|about|part of|available|given|provided|included|attached)|other than|"
    r"only (?:answer|help|assist|discuss|respond|provide)|no (?:access|function|tool|information|way)|"
    r"lacks?|missing|without|(?:do not|don['’]t|does not|doesn['’]t) (?:have|provide|contain|include|support|know))\b",
    re.IGNORECASE,
)
"""Why not: another subject, or something that is not there. Neither is a harmless question refused."""
_ASKED = late_regex(
    r"\b(?:refus\w+|declin\w+|(?:do not|don['’]t|never|must not|cannot) (?:answer|discuss|respond|reply|reveal)|"
    r"(?:only|solely) (?:answer|respond|help|assist|discuss)|out of scope|off[- ]topic|unrelated)\b",
    re.IGNORECASE,
)
"""A prompt that says itself what is not to be answered."""
_END = late_regex(r"[.!?](?:\s|$)|\n")
_SHOULD = late_regex(r"unsafe|refus|harmful|abstain|unanswerable|reject", re.IGNORECASE)


def detect(attempt: Attempt) -> Sighting:
    text = attempt.final_text
    if not text or attempt.calls:
        return NOT_APPLICABLE
    match = _REFUSES.search(text, 0, HEAD) if len(text) <= LONGEST and may_hold(text[:HEAD], _HINTS) else None
    if match is None or any(reading.wrapper not in {"line", "mark"} for reading in attempt.stated):
        return CLEAN
    if any(isinstance(value, str) and len(value) <= 60 and _SHOULD.search(value) for value in attempt.gold.values()):
        return CLEAN
    if _says_more(text, match) or _ASKED.search(attempt.task_text):
        return CLEAN
    detail = f"refuses instead of answering: '{match.group(0)[:80]}'"
    return fired(attempt.cite_final(match.start(), match.end()), detail=detail)


def _says_more(text: str, match: re.Match[str]) -> bool:
    """Whether the message is more than a refusal of what was asked."""
    end = _END.search(text, match.end())
    behind = text[end.end() :] if end else ""
    following = _END.search(behind)
    sentence = text[max(text.rfind(sign, 0, match.start()) for sign in ".!?\n") + 1 : end.end() if end else len(text)]
    reason = sentence + (behind[: following.end()] if following else behind)
    return (
        len(text[: match.start()].strip()) > LEAD
        or (len(behind) > PART and _TURNS.search(behind) is not None)
        or _ASIDE.search(reason) is not None
    )
