"""Calls that all end in one complaint, to the last: whatever is tried, what came back is not taken in."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import may_hold
from blade.extract.text import clip, squeeze
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

FEWEST = 4
LONGEST = 160
SHORTEST = 12
TAIL = 4_000
_PROGRAM = late_regex(r"(?:[\w./-]*/)?([A-Za-z][\w.+-]*): \S")
"""A program of a shell begins its complaint with its own name."""
_VALUE = late_regex(r"=[^\s'\"`]*|\d+")
"""What may differ between two complaints of one thing: figures, and what an option was set to."""
_FRAME = late_regex(r"Traceback \(|File \"|\W*\Z|[-+>|\d\s]*\Z")
"""Lines that stand in every report of an error, whatever it is."""
_WRONG = late_regex(
    r"\berrors?\b|\w+(?:Error|Exception)\b|\bnot (?:found|allowed|recogni[sz]ed|supported|permitted|valid)\b|"
    r"\bunexpected\b|\bunknown\b|\bunrecogni[sz]ed\b|\binvalid\b|\billegal\b|\bno such\b|\bcannot\b|\bdenied\b|"
    r"\bfail(?:ed|ure)?\b|\bmissing\b",
    re.IGNORECASE,
)
_HINTS = (
    *("error", "exception", "not", "unexpected", "unknown", "unrecogni", "invalid", "illegal"),
    *("such", "denied", "fail", "missing"),
)
"""One of these stands in every line that tells of something wrong."""


def same_complaint(attempt: Attempt) -> dict[str, Any]:
    """`same_complaint`: how many of the last calls, two different ones at least, got one complaint, and its words.

    The complaint is the whole answer, or a line of it that says what is wrong; figures, and what options were set to,
    may differ.
    """
    answered = attempt.answered
    if len(answered) < FEWEST or answered[-1].answer is None or not _complains(answered[-1]):
        return {}
    shared = _lines(answered[-1])
    trailing: list[Call] = [answered[-1]]
    for call in reversed(answered[:-1]):
        alike = shared.keys() & _lines(call).keys()
        if not alike:
            break
        shared = {line: words for line, words in shared.items() if line in alike}
        trailing.append(call)
    if len(trailing) < FEWEST or len({call.key for call in trailing}) < 2:
        return {}
    return {"same_complaint": [len(trailing), clip(next(iter(shared.values())), LONGEST)]}


def _lines(call: Call) -> dict[str, str]:
    """What an answer complains of, without figures → its words: line by line, then the whole."""
    text = call.answer.text[-TAIL:] if call.answer is not None else ""
    whole = squeeze(text)
    lines = [squeeze(line) for line in text.splitlines() if may_hold(line, _HINTS)] if may_hold(text, _HINTS) else []
    telling = [line for line in lines if len(line) >= SHORTEST and not _FRAME.match(line) and _WRONG.search(line)]
    return {_VALUE.sub("#", words): words for words in (*telling, whole) if words}


def _complains(call: Call) -> bool:
    if call.failed:
        return True
    program = _PROGRAM.match(call.answer.text.lstrip()) if call.answer is not None else None
    return program is not None and program[1] in arguments_text(call.step.arguments)
