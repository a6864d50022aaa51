"""A right answer in a final message, and what is wrong with the way it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blade.extract.answer_candidates import AnswerCandidate
from blade.extract.answer_key import Key
from blade.extract.same_answer import peel, same

_WRAPPERS = {"box", "tag", "json"}


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """The reading that gives the expected answer. `flaw` is empty where it stands as it was asked for."""

    reading: AnswerCandidate
    flaw: str


def right_answer(
    found: Sequence[AnswerCandidate], key: Key | None, options: Mapping[str, str], wanted: str
) -> RightAnswer | None:
    """The right answer of a message, where all that it states is that answer, without a doubt; else None."""
    if key is None or not commits(found, key, options):
        return None
    asked = [reading for reading in found if reading.wrapper == wanted]
    reading = (asked or [one for one in found if one.wrapper in _WRAPPERS] or list(found))[-1]
    return RightAnswer(reading, _flaw(reading, key, wanted))


def commits(found: Sequence[AnswerCandidate], key: Key, options: Mapping[str, str]) -> bool:
    """Whether all that a message states is the expected answer, without a doubt."""
    return bool(found) and all(_gives(reading, key, options) for reading in found)


def _gives(reading: AnswerCandidate, key: Key, options: Mapping[str, str]) -> bool:
    """Whether a statement commits itself to the expected answer; an "or" may belong to the answer itself."""
    if reading.hedged:
        return False
    if any(same(reading.text, wanted) for wanted in key.accepted):
        return True
    return not reading.several and key.is_met(reading.text, options)


def _flaw(reading: AnswerCandidate, key: Key, wanted: str) -> str:
    if reading.wrapper == wanted or (wanted in {"", "letter", "form"}):
        return _writing(reading.text, key)
    if reading.wrapper in _WRAPPERS:
        return "other wrapper"
    if wanted == "json":
        return "no JSON"
    return "no box or tag" if wanted in _WRAPPERS else "no answer prefix"


def _writing(text: str, key: Key) -> str:
    """How an answer in the right place differs from the key as it is written."""
    if any(text.strip() == wanted.strip() for wanted in key.accepted):
        return ""
    if any(text.strip().casefold() == wanted.strip().casefold() for wanted in key.accepted):
        return "letter case"
    if any(peel(text).casefold() == peel(wanted).casefold() for wanted in key.accepted):
        return "marks around the answer"
    return "other writing of the answer"
