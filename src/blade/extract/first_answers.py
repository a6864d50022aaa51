"""What the tools answer before anything is changed: the same call should then get the same answer in every run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from xxhash import xxh3_64_intdigest

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.text import KEPT, in_one_line

MOST = 8


def first_answers(attempt: Attempt) -> dict[str, Any]:
    """`first_answers`: tool, call and answer, both hashed, and the item of the answer, up to the first change."""
    answers = []
    for call in attempt.calls[:MOST]:
        if call.changes or call.answer is None:
            break
        answers.append([call.name, call_number(call), answer_number(call.answer.text), call.answer.item])
    return {"first_answers": answers} if answers else {}


def call_number(call: Call) -> int:
    return xxh3_64_intdigest(call.key) & 0xFFFFFFFF


def answer_number(text: str) -> int:
    """One number for an answer, whatever its layout."""
    return _short_answer_number(text) if len(text) <= KEPT else _answer_number(text)


def _answer_number(text: str) -> int:
    return xxh3_64_intdigest(in_one_line(text).encode("utf-8", "replace")) & 0xFFFFFFFF


_short_answer_number = lru_cache(maxsize=512)(_answer_number)
"""Other attempts at a task get the same answers."""
