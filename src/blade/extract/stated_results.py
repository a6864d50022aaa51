"""What a verifier says it wanted and what it says it got, in a message or a line of its log, in whatever words.

A value is what stands in marks, or a number. A sentence with one side alone says nothing of the other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from blade.extract.names import is_gold, is_metadata
from blade.extract.prefilter import holds_any
from blade.extract.row_texts import RowText
from blade.late_regex import late_regex

_WANTED = (
    r"(?:wanted|want|wants|expected|expect|expects|should (?:be|equal|have been)|must (?:be|equal)|reference|required|"
    r"target|desired|correct)"
)
_GOT = (
    r"(?:have|has|had|got|gets|saw|sees|found|actual|actually|received|was|is|are|were|observed|returned|printed|"
    r"produced|submitted|yours|given)"
)
_VALUE = (
    r"(?:'(?:[^'\\\n]|\\.){0,400}'|\"(?:[^\"\\\n]|\\.){0,400}\"|`[^`\n]{0,400}`|“[^”\n]{0,400}”|«[^»\n]{0,400}»|"
    r"[-+−]?\d[\d.,]*(?:[eE][-+]?\d+)?%?(?![\w]))"
)
_BETWEEN = r"[,;.]?\s+(?:(?:but|and|while|we|it|you|the|run|program)\s+){0,3}"
_SIDE = r"(?:\s+(?:value|answer|output|result|token|number|line))?\s*[:=]?\s*"
_FIRST_WANTED = late_regex(
    rf"\b{_WANTED}{_SIDE}(?P<wanted>{_VALUE}){_BETWEEN}(?:{_GOT}){_SIDE}(?P<got>{_VALUE})", re.IGNORECASE
)
_FIRST_GOT = late_regex(
    rf"\b{_GOT}{_SIDE}(?P<got>{_VALUE}){_BETWEEN}(?:{_WANTED}){_SIDE}(?P<wanted>{_VALUE})", re.IGNORECASE
)
_HINTS = ("want", "expect", "should", "must ", "reference", "required", "target", "desired", "correct")
MOST = 8
LONGEST_REMEMBERED = 1_000
_CLOSING = {"“": "”", "«": "»", "`": "`"}


class StatedResult(NamedTuple):
    """Both sides as they are, without the marks around them."""

    got: str
    wanted: str


def may_state_results(low: str) -> bool:
    """Whether a text in lower case holds a word for what is wanted: without one no result is stated."""
    return holds_any(low, _HINTS)


def stated_results(texts: Iterable[RowText]) -> list[StatedResult]:
    """The first results that the texts of a verifier state, once each."""
    results: dict[StatedResult, None] = {}
    for text in texts:
        if not holds_any(text.text.lower(), _HINTS) or is_gold(text.name.rpartition(".")[2]) or is_metadata(text.name):
            continue
        for result in _in_text(text.text):
            results[result] = None
            if len(results) >= MOST:
                return list(results)
    return list(results)


def _in_text(text: str) -> Iterator[StatedResult]:
    for line in text.split("\n"):
        if holds_any(line.lower(), _HINTS):
            result = _remembered_line(line) if len(line) <= LONGEST_REMEMBERED else _in_line(line)
            if result is not None:
                yield result


def _in_line(line: str) -> StatedResult | None:
    matches = [match for pattern in (_FIRST_WANTED, _FIRST_GOT) if (match := pattern.search(line))]
    if not matches:
        return None
    match = min(matches, key=lambda match: match.start())
    return StatedResult(_unmarked(match["got"]), _unmarked(match["wanted"]))


_remembered_line = lru_cache(maxsize=4096)(_in_line)
"""Several attempts at a task fail with the same lines."""


def _unmarked(value: str) -> str:
    if value[0] in _CLOSING:
        return value[1:-1]
    if value[0] not in "'\"":
        return value.rstrip(".,")
    try:
        inner = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return value[1:-1]
    return inner if isinstance(inner, str) else value[1:-1]
