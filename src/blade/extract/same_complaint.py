"""Calls that all end in one complaint, to the last: whatever is tried, what came back is not taken in."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.text import clip, squeeze
from blade.extract.transcript import arguments_text

FEWEST = 4
LONGEST = 160
_PROGRAM = re.compile(r"(?:[\w./-]*/)?([A-Za-z][\w.+-]*): \S")
"""A program of a shell begins its complaint with its own name."""


def same_complaint(attempt: Attempt) -> dict[str, Any]:
    """`same_complaint`: how many of the last calls, two different ones at least, got one complaint, and its words."""
    answered = attempt.answered
    if len(answered) < FEWEST or answered[-1].answer is None or not _complains(answered[-1]):
        return {}
    words = squeeze(answered[-1].answer.text)
    trailing: list[Call] = []
    for call in reversed(answered):
        if call.answer is None or squeeze(call.answer.text) != words:
            break
        trailing.append(call)
    if len(trailing) < FEWEST or len({call.key for call in trailing}) < 2:
        return {}
    return {"same_complaint": [len(trailing), clip(words, LONGEST)]}


def _complains(call: Call) -> bool:
    if call.failed:
        return True
    program = _PROGRAM.match(call.answer.text.lstrip()) if call.answer is not None else None
    return program is not None and program[1] in arguments_text(call.step.arguments)
