"""A sighting from what a row claims of itself: the first step of every rule about limits and machinery."""

from __future__ import annotations

import re

from blade.extract.attempt import Attempt
from blade.extract.claims import Claim
from blade.extract.failure import error_message
from blade.extract.names import words
from blade.extract.text import clip, squeeze, visible
from blade.findings import Sighting, fired

_SHOWN = 90
_JUDGES = frozenset("judge grader evaluator".split())
_CLASS = re.compile(r"(?:[a-z_]+\.)*([A-Z]\w+(?:Error|Exception|Timeout))\b")
_WORD = re.compile(r"-?[\w.:-]{1,60}")


def claimed(attempt: Attempt, about: frozenset[str], saying: str) -> Sighting | None:
    """What the row says of itself about these subjects; a field of the judge tells nothing about the agent."""
    if not attempt.claims:
        return None
    found = [claim for claim in attempt.claims if claim.about in about and not of_judge(claim.field)]
    return told(attempt, found, saying)


def error_words(attempt: Attempt) -> str | None:
    """The last message, whoever wrote it, where it is nothing but an error."""
    return error_message(visible(attempt.last_words.text)) if attempt.last_words else None


def told(attempt: Attempt, found: list[Claim], saying: str) -> Sighting | None:
    """These claims as one sighting, or None where no field of the row shows them."""
    shown = [(claim, cites) for claim in found if (cites := attempt.cite_claim(claim))]
    if not shown:
        return None
    first = shown[0][0]
    what = clip(squeeze(first.value), _SHOWN).rstrip(". ")
    return fired(
        *(cite for _, cites in shown for cite in cites), detail=f"{saying} ({first.field}: {what})", value=kind(first)
    )


def kind(claim: Claim) -> str:
    """What groups claims: the one word or the error class that the field holds, else the field's name."""
    if _WORD.fullmatch(claim.value) and claim.value not in {"True", "1", "False", "0"}:
        return claim.value
    named = _CLASS.match(claim.value)
    return named.group(1) if named else claim.field


def of_judge(field: str) -> bool:
    return any(set(words(part)) & _JUDGES for part in field.split("."))
