"""A sighting from what a row claims of itself: the first step of every rule about limits and machinery."""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.claim_records import TroubleClaim
from blade.extract.failure import error_message
from blade.extract.names import words
from blade.extract.text import clip, squeeze, visible
from blade.findings import Sighting, fired
from blade.late_regex import late_regex

_SHOWN = 90
_FEW_WORDS = 2
_JUDGES = frozenset("judge grader evaluator".split())
_CLASS = late_regex(r"(?:[a-z_]+\.)*([A-Z]\w+(?:Error|Exception|Timeout))\b")
_WORD = late_regex(r"-?[\w.:-]{1,60}")


def claimed(attempt: Attempt, about: frozenset[str], saying: str) -> Sighting | None:
    """What the row says of itself about these subjects; a field of the judge tells nothing about the agent."""
    if not attempt.claims:
        return None
    claims = [claim for claim in attempt.claims if claim.about in about and not of_judge(claim.field)]
    return told(attempt, claims, saying)


def error_words(attempt: Attempt) -> str | None:
    """The last message, whoever wrote it, where it is nothing but an error."""
    return error_message(visible(attempt.last_words.text)) if attempt.last_words else None


def told(attempt: Attempt, claims: list[TroubleClaim], saying: str) -> Sighting | None:
    """These claims as one sighting, or None where no field of the row shows them."""
    cited_claims = [(claim, cites) for claim in claims if (cites := attempt.cite_claim(claim))]
    if not cited_claims:
        return None
    first = cited_claims[0][0]
    words_shown = clip(squeeze(first.value), _SHOWN).rstrip(". ")
    cites = [cite for _, cites in cited_claims for cite in cites]
    message = _message(attempt, first)
    if message is not None:
        words_shown += f", {message.field}: {clip(squeeze(message.value), _SHOWN)}".rstrip(". ")
        cites = [*attempt.cite_claim(message), *cites]
    return fired(*cites, detail=f"{saying} ({first.field}: {words_shown})", value=kind(first))


def _message(attempt: Attempt, claim: TroubleClaim) -> TroubleClaim | None:
    """What a field beside it says in words, where a claim is the bare class of an error."""
    if len(claim.value.split()) > 1:
        return None
    holder, _, last = claim.field.rpartition(".")
    for neighbour in attempt.claims:
        place, _, name = neighbour.field.rpartition(".")
        is_message = neighbour.status in {"error", claim.status} and len(neighbour.value.split()) > _FEW_WORDS
        if is_message and place == holder and set(words(name)) & set(words(last)) and not of_judge(neighbour.field):
            return neighbour
    return None


def kind(claim: TroubleClaim) -> str:
    """What groups claims: the one word or the error class that the field holds, else the field's name."""
    if _WORD.fullmatch(claim.value) and claim.value not in {"True", "1", "False", "0"}:
        return claim.value
    error_class = _CLASS.match(claim.value)
    return error_class.group(1) if error_class else claim.field


def of_judge(field: str) -> bool:
    return any(set(words(part)) & _JUDGES for part in field.split("."))
