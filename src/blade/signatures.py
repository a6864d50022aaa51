"""Masks a failure message into its template, so that alike messages become one.

What differs between two occurrences of one failure is masked: numbers, quoted parts, addresses, paths, identifiers,
times, both sides of a comparison. What is left is the template; the same failure in another run gives the same one.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 120
READ = 600
_OPERAND = r"(?:\[[^\[\]\n]{0,200}\]|\([^()\n]{0,200}\)|\{[^{}\n]{0,200}\}|[^\s\[({][^\s]*)"
"""One side of a comparison: a word, or a bracket with what it holds."""
_TAKEN_OUT = r"<(?:KEY_[A-Z0-9_]{1,30}|EMAIL|USER|HOST|NAME)_\d{1,9}>"
"""What `blade sanitize` leaves of a value: it is masked as the value was, so that the template stays the same."""
_MASKS = (
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b|<EMAIL_\d{1,9}>"), "<email>"),
    (re.compile(rf"\b[a-z][a-z0-9+.-]*://(?:{_TAKEN_OUT}|[^\s'\"<>)])+", re.IGNORECASE), "<url>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?"), "<time>"),
    (re.compile(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`\n]{1,120}`"), "<text>"),
    (re.compile(rf"(?<![\w<])/?(?:(?:{_TAKEN_OUT}|[\w.-])+/){{2,}}(?:{_TAKEN_OUT}|[\w.-])*"), "<path>"),
    (re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{6,}\b"), "<id>"),
    (re.compile(r"-?\d+(?:[.,]\d+)*"), "#"),
    (re.compile(rf"{_OPERAND} (!=|==) {_OPERAND}"), r"<value> \1 <value>"),
)
_SPACE = re.compile(r"\s+")
_FRAMES = re.compile(r"^Traceback \(most recent call last\)")


def template(message: str) -> str:
    """The message without what varies, in one line, shortened. Of a traceback, its last line: the error itself."""
    text = message.strip()
    if _FRAMES.match(text):
        text = text.splitlines()[-1].strip()
    return _masked(text[:READ])


@lru_cache(maxsize=16_384)
def _masked(text: str) -> str:
    """Most lines of a run stand in it many times."""
    for pattern, mark in _MASKS:
        text = pattern.sub(mark, text)
    return _SPACE.sub(" ", text).strip()[:LONGEST]
