"""The format a prompt asks the answer to have: a box, a tag, JSON, a prefix, a letter alone.

Where the right answer stands in the final message, what is wrong with the way it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from blade.extract.answer_candidates import AnswerCandidate
from blade.extract.answer_key import Key
from blade.extract.prefilter import has_odd_letters, holds_any, lowered
from blade.extract.same_answer import peel, same
from blade.extract.text import KEPT
from blade.frozen import frozen
from blade.late_regex import late_regex
from blade.model import Step

LONGEST = 40_000
_KINDS = (
    ("box", late_regex(r"\\boxed|\\fbox|\bboxed\b|\banswer\b[^.\n]{0,60}\bin(?:side)? (?:a|the) box\b", re.IGNORECASE)),
    (
        "tag",
        late_regex(
            r"<(\w{2,30})>[^<\n]{0,80}</\1>|<\w{2,30}> ?(?:and|\.\.\.|…) ?</\w{2,30}>|\b(?:XML|HTML) tags?\b|"
            r"\b(?:answer|choice|solution|response)\b[^.\n]{0,80}\btags?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "json",
        late_regex(
            r"\b(?:answer|respond|reply|output|return|format|response|result)\w*\b[^.\n]{0,80}\bJSON\b|"
            r"\bJSON (?:object|format|schema|list|array)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "label",
        late_regex(
            r"[\"'`“*<][ \t]*(?:\w+ ){0,2}answer(?: is)?:?[ \t]*[\"'`*<\\(\[{$]|"
            r"\b(?:final )?answer: ?[<\[{(*$\\]|\banswer:\s*(?=[\"'”])|"
            r"[\"'`“][ \t]*(?:\w+ ){0,2}answer(?: is)?: ?[^\"'`”\n]{1,40}[\"'`”]",
            re.IGNORECASE,
        ),
    ),
    (
        "letter",
        late_regex(
            r"\b(?:answer|respond|reply|output|choose|give|response)\b[^.\n]{0,60}\bletters?\b|"
            r"\bletters?\b[^.\n]{0,40}\b(?:answer|option|choice|alone)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "form",
        late_regex(
            r"\b(?:output|answer|response|following|exact|this|the|required|strict) format\b|\b(?:of|in) the form\b|"
            r"\bformat(?:ted)?\b[^.\n]{0,30}\b(?:answer|response|output)\b|"
            r"\bnothing else\b|\bverbatim\b|\bexactly as\b|"
            r"\b(?:answer|respond|reply|output|return|give|print|write)\b[^.\n]{0,30}\bonly\b|"
            r"\bonly (?:output|return|give|print|write|answer|respond|reply|the (?:answer|number|letter|final))\b|"
            r"\b(?:enclose|wrap)\w*\b[^.\n]{0,40}\b(?:in|with)\b",
            re.IGNORECASE,
        ),
    ),
)


_CUES = {
    "box": ("box",),
    "tag": ("<", "tag"),
    "json": ("json",),
    "label": ("answer",),
    "letter": ("letter",),
    "form": ("form", "nothing else", "verbatim", "exactly as", "only", "enclose", "wrap"),
}
"""Words in lower case of which each of these patterns needs one."""


@frozen
class FormatRequest:
    """A format and the words of the prompt that ask for it."""

    kind: str
    """box, tag, json, label, letter or form."""
    step: Step
    start: int
    end: int


def wanted_format(prompt: Sequence[Step]) -> FormatRequest | None:
    """The plainest request for a format among the messages of a prompt; None where none asks for one."""
    cued_steps = [(step, _cued(step.text)) for step in reversed(prompt) if step.role != "assistant"]
    for kind, pattern in _KINDS:
        for step, cued in cued_steps:
            if kind not in cued:
                continue
            span = _request_span(step.text, kind) if len(step.text) <= KEPT else _search(step.text, pattern)
            if span:
                return FormatRequest(kind, step, *span)
    return None


def _cued(text: str) -> frozenset[str]:
    return _remembered(text) if len(text) <= KEPT else _find_cues(text)


def _find_cues(text: str) -> frozenset[str]:
    """The formats of which a prompt has a word at all."""
    low, odd = lowered(text), has_odd_letters(text)
    return frozenset(kind for kind, cues in _CUES.items() if odd or holds_any(low, cues))


_remembered = lru_cache(maxsize=1024)(_find_cues)


@lru_cache(maxsize=1024)
def _request_span(text: str, kind: str) -> tuple[int, int] | None:
    """Prompts repeat from row to row."""
    return _search(text, dict(_KINDS)[kind])


def _search(text: str, pattern: re.Pattern[str]) -> tuple[int, int] | None:
    match = pattern.search(text, 0, LONGEST) or (
        pattern.search(text, len(text) - LONGEST) if len(text) > LONGEST else None
    )
    return match.span() if match else None


_WRAPPERS = {"box", "tag", "json"}


@frozen
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
