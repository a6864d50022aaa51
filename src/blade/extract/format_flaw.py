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
    readings: Sequence[AnswerCandidate], key: Key | None, options: Mapping[str, str], asked_wrapper: str
) -> RightAnswer | None:
    """The right answer of a message, where all that it states is that answer, without a doubt; else None."""
    if key is None or not commits(readings, key, options):
        return None
    in_wrapper = [reading for reading in readings if reading.wrapper == asked_wrapper]
    reading = (in_wrapper or [candidate for candidate in readings if candidate.wrapper in _WRAPPERS] or list(readings))[
        -1
    ]
    return RightAnswer(reading, _flaw(reading, key, asked_wrapper))


def commits(readings: Sequence[AnswerCandidate], key: Key, options: Mapping[str, str]) -> bool:
    """Whether all that a message states is the expected answer, without a doubt."""
    return bool(readings) and all(_gives(reading, key, options) for reading in readings)


def _gives(reading: AnswerCandidate, key: Key, options: Mapping[str, str]) -> bool:
    """Whether a statement commits itself to the expected answer; an "or" may belong to the answer itself."""
    if reading.hedged:
        return False
    if any(same(reading.text, accepted) for accepted in key.accepted):
        return True
    return not reading.several and key.is_met(reading.text, options)


def _flaw(reading: AnswerCandidate, key: Key, asked_wrapper: str) -> str:
    if reading.wrapper == asked_wrapper or (asked_wrapper in {"", "letter", "form"}):
        return _writing(reading.text, key)
    if reading.wrapper in _WRAPPERS:
        return "other wrapper"
    if asked_wrapper == "json":
        return "no JSON"
    return "no box or tag" if asked_wrapper in _WRAPPERS else "no answer prefix"


def _writing(text: str, key: Key) -> str:
    """How an answer in the right place differs from the key as it is written."""
    if any(text.strip() == accepted.strip() for accepted in key.accepted):
        return ""
    if any(text.strip().casefold() == accepted.strip().casefold() for accepted in key.accepted):
        return "letter case"
    if any(peel(text).casefold() == peel(accepted).casefold() for accepted in key.accepted):
        return "marks around the answer"
    return "other writing of the answer"
