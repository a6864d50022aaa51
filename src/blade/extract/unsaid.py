"""Expected answers that stand in no message of the model, and what it says where the answer was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.own_claims import sentences
from blade.extract.reference import answer_lists
from blade.extract.text import clip

MOST = 3
LONGEST = 200
FEWEST_SHARED = 3
_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 6
_NUMBER = re.compile(r"(?<![\w#.$-])\$?\d+(?:\.\d+)?(?![\w-]|\.\d)")
_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def unsaid(attempt: Attempt) -> dict[str, Any]:
    """`unsaid`: `[expected answer, the sentence in its place]` each; the sentence is empty where none is near.

    The sentence holds a number written as the answer is, and shares the most words with a question of the user.
    """
    if attempt.reference is None or not attempt.lost:
        return {}
    wanted = [str(one) for answers in answer_lists(attempt.row, attempt.reference[0]) for one in answers if one]
    said = "\n".join(_plain(step.text) for step in attempt.messages) if wanted else ""
    missing = [one for one in dict.fromkeys(wanted) if _plain(one) not in said][:MOST]
    if not missing:
        return {}
    numeric = [one for one in missing if _NUMBER.fullmatch(_plain(one))]
    questions = [stems for text in _asked(attempt) if (stems := _stems(text))] if numeric else []
    told = _told(attempt, wanted) if numeric else []
    instead = {one: _instead(one, told, questions) for one in numeric}
    return {"unsaid": [[clip(one, LONGEST), instead.get(one, "")] for one in missing]}


def _told(attempt: Attempt, wanted: list[str]) -> list[str]:
    """The sentences of the model that hold a number and none of the expected answers."""
    plain = [_plain(one) for one in wanted]
    spoken = (sentence for step in attempt.messages for sentence in sentences(step.text))
    return [
        sentence
        for sentence in spoken
        if _DIGIT.search(sentence) and not any(one in text for text in (_plain(sentence),) for one in plain)
    ]


def _instead(answer: str, told: list[str], questions: list[set[str]]) -> str:
    decimal = "." in answer
    best, most = "", FEWEST_SHARED - 1
    for sentence in told:
        numbers = _NUMBER.findall(sentence.replace(",", ""))
        if any(("." in one) == decimal for one in numbers):
            shared = max((len(stems & _stems(sentence)) for stems in questions), default=0)
            if shared > most:
                best, most = sentence, shared
    return clip(" ".join(best.split()), LONGEST)


def _asked(attempt: Attempt) -> Iterator[str]:
    """The sentences in which users ask something."""
    turns = [step.text for step in attempt.prompt if step.role == "user"] + [step.text for _, step in attempt.users]
    for turn in turns:
        yield from (sentence for sentence in _SENTENCE.split(turn) if "?" in sentence)


def _stems(text: str) -> set[str]:
    return {word.lower()[:_STEM] for word in _WORD.findall(text)}


def _plain(text: str) -> str:
    return text.replace(",", "").lower()
