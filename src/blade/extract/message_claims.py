"""That the model says at its end that it told somebody something, and whether a call sent any message."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.made_up import texts
from blade.extract.names import words
from blade.extract.own_claims import sentences
from blade.extract.text import clip
from blade.late_regex import late_regex

LONGEST = 160
_SENDS = frozenset("send mail email message notify reply sms forward".split())
_CLAIM = late_regex(
    r"\b(?:informed|notified|e-?mailed|messaged|(?:has|have) been (?:told|informed|notified)|(?:wrote|written) to|"
    r"let (?:\w+ ){1,3}know|sent (?:\w+ ){0,4}(?:e-?mail|mail|message|note|reply|confirmation|notice|update)|"
    r"(?:got|gets|received|has|have) (?:a|an|the) (?:e-?mail|mail|message|note|reply|confirmation|notice)|"
    r"(?:e-?mail|mail|message|note|reply|confirmation|notice) (?:\w+ ){0,4}(?:sent|is out|went out|is on its way))\b",
    re.IGNORECASE,
)
_OPEN = late_regex(
    r"\b(?:not|cannot|could ?n[o']t|will|would|should|please|if|want|shall|unable|fail(?:ed|s)?|already|can)\b|"
    r"n['’]t\b|\?",
    re.IGNORECASE,
)
_HINTS = ("inform", "notif", "mail", "messag", "told", "wr", "know", "sent")


def message_claims(attempt: Attempt) -> dict[str, Any]:
    """`message_claim`: the sentence, and whether any call sends messages; nothing where no such thing is said."""
    last = attempt.calls[-1]
    parting = [attempt.final_text, *(text for _, text in texts(last.arguments))] if not _sends(last.name) else []
    for text in parting or [attempt.final_text]:
        low = text.lower()
        if not any(hint in low for hint in _HINTS):
            continue
        for sentence in sentences(text):
            if _CLAIM.search(sentence) and not _OPEN.search(sentence):
                has_sent = any(_sends(call.name) and not call.failed for call in attempt.calls)
                return {"message_claim": [clip(" ".join(sentence.split()), LONGEST), int(has_sent)]}
    return {}


def _sends(tool: str) -> bool:
    return not _SENDS.isdisjoint(words(tool.replace(".", "_"))) and _is_no_reading(tool)


def _is_no_reading(tool: str) -> bool:
    return {"get", "list", "search", "read", "find", "open", "show", "fetch"}.isdisjoint(words(tool.replace(".", "_")))
