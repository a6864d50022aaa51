"""Changes that the model says it made and no call has made: a sentence that names one object, and no change of it.

The object is an identifier of the form that changing tools take. That a change of another object touched it, or that a
tool already shows the state which the sentence tells of, makes the sentence true.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call, changing_name
from blade.extract.circumstances import changed, identifiers
from blade.extract.failure import unlabelled
from blade.extract.made_up import texts
from blade.extract.own_claims import prose, sentences
from blade.extract.prefilter import holds_any, lowered
from blade.extract.text import NO_JSON, clip, parsed
from blade.extract.user_ids import numbered
from blade.late_regex import late_regex
from blade.model import Step

MOST = 3
LONGEST = 200
STEM = 5
_HOW = r"(?:(?:now|also|just|successfully) )*"
_WORK = r"(\w{3,}ed|made|sent)\b"
_DONE = late_regex(rf"[hi](?<=\b[hi])(?:(?<=h)a(?:s|ve) {_HOW}been {_HOW}{_WORK}|(?<=i)(?:['’]ve| have) {_HOW}{_WORK})")
"""In small letters. A letter is found far sooner than a boundary: it comes first."""
_DOING = (" been ", "i have ", "i've ", "i’ve ")
"""Such words hold one of these."""
_OPEN = late_regex(
    r"\b(?:not|cannot|never|no longer|once|if|after|when|will|would|before|until|unless|already|yet|should)\b"
    r"|n['’]t\b|['’]ll\b|\?",
    re.IGNORECASE,
)
"""What takes a sentence back, puts it under a condition, or speaks of what others did before."""
_READS = late_regex(
    r"(?:access|attempt|calculat|check|comput|confirm|consider|examin|gather|identif|includ|list|locat|look|notic|pull|"
    r"receiv|retriev|review|search|select|transfer|verif|view)",
    re.IGNORECASE,
)


def unmade_changes(attempt: Attempt) -> dict[str, Any]:
    """`unmade`: `[item, sentence, identifier, item of the user who said so first or None]` of the first claims.

    Nothing where no tool changes anything.
    """
    claiming_steps = [step for step in attempt.messages if attempt.holds(step, _DOING) and _may_claim(attempt, step)]
    forms = set(_forms(attempt)) if claiming_steps else set()
    unmade: list[list[Any]] = []
    for step in claiming_steps if forms else ():
        for sentence, name, digits, claim in _claims(step.text, forms):
            if not _true(attempt, step.item, digits, claim):
                first = _said_first(attempt, step.item, digits, forms)
                unmade.append([step.item, clip(" ".join(sentence.split()), LONGEST), name, first])
    return {"unmade": unmade[:MOST]} if unmade else {}


def _may_claim(attempt: Attempt, step: Step) -> bool:
    """Whether the words of a claim stand anywhere: most messages need not be taken apart."""
    words, _ = prose(step.text)
    return _DONE.search(attempt.low(step) if words == step.text else lowered(words)) is not None


def _claims(text: str, forms: Collection[tuple[str, int]]) -> Iterator[tuple[str, str, str, re.Match[str]]]:
    """The sentences that say of one object that something was done to it: the object, its digits, the words for it."""
    for sentence in sentences(text):
        low = lowered(sentence)
        claim = _DONE.search(low) if holds_any(low, _DOING) else None
        if claim is None or _OPEN.search(sentence) or _READS.match(claim[1] or claim[2]):
            continue
        identifiers_named = [
            identifier for identifier in numbered(sentence) if (identifier[1], len(identifier[2])) in forms
        ]
        if len({digits for *_, digits in identifiers_named}) == 1:
            yield sentence, identifiers_named[0][0], identifiers_named[0][2], claim


def _said_first(attempt: Attempt, item: int, digits: str, forms: Collection[tuple[str, int]]) -> int | None:
    """Where a user says of the same object that it is done, before the model does."""
    users = (step for _, step in attempt.users if step.item < item)
    return next((step.item for step in users if any(claim[2] == digits for claim in _claims(step.text, forms))), None)


def _forms(attempt: Attempt) -> Iterator[tuple[str, int]]:
    """Letters before and number of digits of the identifiers that changing tools take, here and in the key."""
    expected = attempt.changes.expected.values() if attempt.changes is not None else ()
    call_arguments = [call.arguments for call in attempt.calls if changing_name(call.name)]
    for arguments in (*(arguments for _, arguments in expected), *call_arguments):
        for _, value in texts(arguments):
            yield from ((prefix, len(digits)) for _, prefix, digits in numbered(value))


def _true(attempt: Attempt, item: int, digits: str, claim: re.Match[str]) -> bool:
    """Whether something before the sentence bears it out."""
    stem = (claim[1] or claim[2]).lower()[:STEM]
    return any(_bears_out(call, digits, stem) for call in attempt.calls if call.step.item < item)


def _bears_out(call: Call, digits: str, stem: str) -> bool:
    """Whether a call changed the object, told of a change of it, or showed it in the state that is claimed."""
    answer = call.answer.text if call.answer is not None else ""
    if changed(call) and any(digits in identifier for identifier in identifiers(call.arguments)):
        return True
    if digits not in answer:
        return False
    value = parsed(unlabelled(answer)) if changed(call) else NO_JSON
    if value is not NO_JSON:
        return _in_a_field(value, digits)
    return changed(call) or stem in answer.lower()


def _in_a_field(value: Any, digits: str) -> bool:
    """Whether an identifier is the value of a field; one of many in a list is only mentioned."""
    if isinstance(value, dict):
        return any((isinstance(item, str) and digits in item) or _in_a_field(item, digits) for item in value.values())
    return isinstance(value, list) and any(_in_a_field(item, digits) for item in value)
