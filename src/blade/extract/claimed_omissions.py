"""Expected changes that were left out although the closing messages speak of them as made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.failure_shape import NOTHING, OMISSION
from blade.extract.own_claims import sentences
from blade.extract.text import clip
from blade.late_regex import late_regex

SHORTEST, LONGEST = 4, 200
_BY_MODEL = late_regex(
    r"\b(?:i|we)(?:['’]ve| have)? (?:(?:now|also|just|successfully|then) )*(?P<work>\w{2,}ed|made|sent|set|put|done)\b",
    re.IGNORECASE,
)
_DONE = late_regex(
    r"\b(?:ha(?:s|ve) been|(?:is|are) now|was|were) (?:(?:now|also|successfully) )*"
    r"(?P<work>\w{2,}ed|made|sent|set|done)\b",
    re.IGNORECASE,
)
_READS = late_regex(
    r"(?:access|attempt|tri|calculat|check|comput|consider|examin|found|gather|identif|includ|list|locat|look|need|notic|"
    r"offer|pull|receiv|retriev|review|search|select|transfer|understand|verif|view|want|ask|confirm|mention|deliver)",
    re.IGNORECASE,
)
"""Work that changes nothing."""
_OPEN = late_regex(
    r"\b(?:not|cannot|never|unable|once|if|will|would|shall|can|could|may|should|before|until|unless|please)\b|"
    r"n['’]t\b|['’]ll\b|['’]d\b|\?",
    re.IGNORECASE,
)
"""What takes a sentence back, puts it under a condition, or only announces it."""


def claimed_omission(attempt: Attempt) -> dict[str, Any]:
    """`claimed_omission`: `[item, sentence, tool, value]`, where the change of that value is missing.

    The value stands in no accepted change, and in a sentence after the last call in which the model says what it did.
    Of a value that no tool ever told, what the user wanted to be written, it may say that it was done.
    """
    shape, changes = attempt.shape, attempt.changes
    if not attempt.lost or shape is None or changes is None or shape.name not in {OMISSION, NOTHING}:
        return {}
    last = max((call.step.item for call in attempt.calls), default=-1)
    closing = [step for step in attempt.messages if step.item > last]
    made = {value for change in changes.made if not change.failed for value in _values(change.call.arguments)}
    answers = [answer.text.lower() for call in attempt.calls if (answer := call.answer) is not None]
    for name, arguments in shape.missing if closing else ():
        for value in sorted(set(_values(arguments)) - made, key=lambda text: (-len(text), text)):
            is_new = not any(value in answer for answer in answers)
            for step in closing:
                for sentence in sentences(step.text) if value in step.text.lower() else ():
                    if value in sentence.lower() and _claims(sentence, is_new=is_new):
                        return {"claimed_omission": [step.item, clip(" ".join(sentence.split()), LONGEST), name, value]}
    return {}


def _claims(sentence: str, *, is_new: bool) -> bool:
    patterns = (_BY_MODEL, _DONE) if is_new else (_BY_MODEL,)
    works = [match["work"] for pattern in patterns for match in pattern.finditer(sentence)]
    return any(not _READS.match(work) for work in works) and not _OPEN.search(sentence)


def _values(arguments: Any) -> Iterator[str]:
    """The texts of some arguments, in small letters; short ones stand anywhere."""
    if isinstance(arguments, dict):
        for value in arguments.values():
            yield from _values(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from _values(value)
    elif isinstance(arguments, str | int | float) and not isinstance(arguments, bool):
        text = str(arguments).strip().lower()
        if len(text) >= SHORTEST:
            yield text
