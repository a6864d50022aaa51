"""Rollouts that a decoder of JSON ended: which of them broke at a call, and which inside a string.

A decoder's message tells neither whose text it read nor why that text is broken. Where rows count turns, keep no
transcript and no answer is read out of any of them, what a model writes and a program decodes are its calls.
"""

from __future__ import annotations

from blade.diagnosis.cases import Case, RunCases
from blade.extract.names import turn_count
from blade.extract.numbers import number
from blade.late_regex import late_regex
from blade.model import Status

_DECODER = late_regex(
    r"Expecting (?:value|property name|'.' delimiter)|Unterminated string|Extra data: line|"
    r"Invalid (?:control character|\\escape)|JSONDecodeError|Unexpected end of JSON input|EOF while parsing"
)
_OPEN_STRING = late_regex(r"Unterminated string|EOF while parsing a string")


def undecoded(case: Case) -> bool:
    """Whether a row was settled as malformed by the words of a JSON decoder."""
    return case.state == Status.MALFORMED.value and _DECODER.search(case.reason or "") is not None


def ends_in_a_string(case: Case) -> bool:
    """Whether a decoder says that the text ended before a string did."""
    return undecoded(case) and _OPEN_STRING.search(case.reason or "") is not None


def undecoded_calls(run: RunCases) -> set[int]:
    """The identities of failing rollouts that a decoder ended and that can have broken at a call alone; kept."""
    if "undecoded calls" not in run.known:
        failing = {id(case) for case in run.failing if undecoded(case) and not case.items}
        answers = failing and any(case.answer is not None for case in run.cases)
        run.known["undecoded calls"] = (
            {
                id(case)
                for case, fields in zip(run.cases, run.fields(), strict=True)
                if id(case) in failing and any(number(fields[name]) for name in fields if turn_count(name) == "used")
            }
            if failing and not answers
            else set()
        )
    return run.known["undecoded calls"]  # type: ignore[no-any-return]
