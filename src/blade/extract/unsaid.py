"""Expected answers that stand in no message of the model, and what it says where the answer was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.own_claims import sentences
from blade.extract.reference import answer_lists
from blade.extract.text import clip
from blade.late_regex import late_regex

MOST = 3
LONGEST = 200
FEWEST_SHARED = 3
_WORD = late_regex(r"[^\W\d_]{4,}")
_STEM = 6
_NUMBER = late_regex(r"(?<![\w#.$-])\$?\d+(?:\.\d+)?(?![\w-]|\.\d)")
_POINTS_BACK = late_regex(r"\b(?:that|this|those|these|such) [a-z]+|\b(?:it|they|them|its|their)\b", re.IGNORECASE)
_DIGIT = late_regex(r"\d")
_SENTENCE = late_regex(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
"""White space is found far sooner than the end of a sentence: it comes first."""


def unsaid(attempt: Attempt) -> dict[str, Any]:
    """`unsaid`: `[expected answer, the sentence in its place]` each; the sentence is empty where none is near.

    The sentence holds a number written as the answer is, and shares the most words with a question of the user.
    """
    if attempt.reference is None or not attempt.lost:
        return {}
    expected = [
        str(answer) for answers in answer_lists(attempt.row, attempt.reference[0]) for answer in answers if answer
    ]
    message_text = "\n".join(_plain(step.text) for step in attempt.messages) if expected else ""
    missing = [answer for answer in dict.fromkeys(expected) if _plain(answer) not in message_text][:MOST]
    if not missing:
        return {}
    numeric = [answer for answer in missing if _NUMBER.fullmatch(_plain(answer))]
    questions = [stems for text in _questions(attempt) if (stems := _stems(text))] if numeric else []
    sentences = _sentences_with_numbers(attempt, expected) if numeric else []
    instead = {answer: _instead(answer, sentences, questions) for answer in numeric}
    return {"unsaid": [[clip(answer, LONGEST), instead.get(answer, "")] for answer in missing]}


def _sentences_with_numbers(attempt: Attempt, expected: list[str]) -> list[tuple[str, str]]:
    """The sentences of the model that hold a number and none of the expected answers, each with the one before it."""
    plain = [_plain(answer) for answer in expected]
    spoken = (
        pair
        for step in attempt.messages
        if _DIGIT.search(step.text)
        for message_sentences in [sentences(step.text)]
        for pair in zip(("", *message_sentences), message_sentences, strict=False)
    )
    return [
        (before, sentence)
        for before, sentence in spoken
        if _DIGIT.search(sentence) and not any(answer in text for text in (_plain(sentence),) for answer in plain)
    ]


def _instead(answer: str, sentences: list[tuple[str, str]], questions: list[set[str]]) -> str:
    """The sentence nearest to a question; one that points back to the sentence before it is told with that."""
    decimal = "." in answer
    best, most_shared = "", FEWEST_SHARED - 1
    for before, sentence in sentences:
        numbers = _NUMBER.findall(sentence.replace(",", ""))
        if any(("." in number) == decimal for number in numbers):
            own = _stems(sentence) if questions else set()
            shared = max((len(stems & own) for stems in questions), default=0)
            if shared > most_shared:
                whole = f"{before} {sentence}"
                best = whole if _POINTS_BACK.search(sentence) and len(whole) <= LONGEST else sentence
                most_shared = shared
    return clip(" ".join(best.split()), LONGEST)


def _questions(attempt: Attempt) -> Iterator[str]:
    """The sentences in which users ask something."""
    turns = [step.text for step in attempt.prompt if step.role == "user"] + [step.text for _, step in attempt.users]
    for turn in turns:
        if "?" in turn:
            yield from (sentence for sentence in _SENTENCE.split(turn) if "?" in sentence)


def _stems(text: str) -> set[str]:
    return {word.lower()[:_STEM] for word in _WORD.findall(text)}


def _plain(text: str) -> str:
    return text.replace(",", "").lower()
