"""Masks a failure message into its template, so that alike messages become one.

What differs between two occurrences of one failure is masked: numbers, quoted parts, addresses, paths, identifiers,
times, both sides of a comparison. What is left is the template; the same failure in another run gives the same one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, reduce

from blade.late_regex import late_regex

LONGEST = 120
LEFT_OUT = "…"
"""Stands for the words in which lines of one template differ."""
READ = 600
_OPERAND = r"(?:\[[^\[\]\n]{0,200}\]|\([^()\n]{0,200}\)|\{[^{}\n]{0,200}\}|[^\s\[({][^\s]*)"
"""One side of a comparison: a word, or a bracket with what it holds."""
_MORE_NUMBERS = r"(?: (?:#|<id>))*(?!\S)"
"""What stands behind the first number of several, masked."""
_OF_NOTHING = ("nothing != <value>", "nothing == <value>")
_TAKEN_OUT = r"<(?:KEY_[A-Z0-9_]{1,30}|EMAIL|USER|HOST|NAME)_\d{1,9}>"
"""What `blade sanitize` leaves of a value: it is masked as the value was, so that the template stays the same."""
_DIGIT = late_regex(r"\d")
_MIXED = late_regex(r"[0-9](?:(?=[A-Za-z])|(?<=[A-Za-z][0-9]))")
"""A figure beside a letter: what is made of both holds one."""
_DAY = late_regex(r"-\d\d-\d\d")
_LETTER = late_regex(r"[^\W\d_]{3}")
_HEX = late_regex(r"[0-9a-fA-F]{12}")
_MASKS: tuple[tuple[Callable[[str], object], re.Pattern[str], str], ...] = (
    (lambda text: "\x1b" in text, late_regex(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (
        lambda text: text.count("-") > 3,
        late_regex(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE),
        "<id>",
    ),
    (
        lambda text: "@" in text or "<EMAIL_" in text,
        late_regex(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b|<EMAIL_\d{1,9}>"),
        "<email>",
    ),
    (
        lambda text: "://" in text,
        late_regex(rf"\b[a-z][a-z0-9+.-]*://(?:{_TAKEN_OUT}|[^\s'\"<>)])+", re.IGNORECASE),
        "<url>",
    ),
    (
        _DAY.search,
        late_regex(r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?"),
        "<time>",
    ),
    (
        lambda text: "'" in text or '"' in text or "`" in text,
        late_regex(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`\n]{1,120}`"),
        "<text>",
    ),
    (
        lambda text: text.count("/") > 1,
        late_regex(rf"(?<![\w<])/?(?:(?:{_TAKEN_OUT}|[\w.-])+/){{2,}}(?:{_TAKEN_OUT}|[\w.-])*"),
        "<path>",
    ),
    (
        lambda text: "0x" in text or "0X" in text or _HEX.search(text),
        late_regex(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b", re.IGNORECASE),
        "<id>",
    ),
    (_MIXED.search, late_regex(r"\b(?=[A-Za-z0-9]{6})(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{6,}\b"), "<id>"),
    (_DIGIT.search, late_regex(r"-?\d+(?:[.,]\d+)*"), "#"),
    (
        lambda text: "!= " in text or "== " in text,
        late_regex(rf"(?<=[:=])\s+(!=|==) {_OPERAND}{_MORE_NUMBERS}$"),
        r" nothing \1 <value>",  # the left side is empty
    ),
    (
        lambda text: (" != " in text or " == " in text) and not text.endswith(_OF_NOTHING),
        late_regex(rf"(?:(?:#|<id>) )*{_OPERAND} (!=|==) {_OPERAND}{_MORE_NUMBERS}"),
        r"<value> \1 <value>",
    ),
)
"""What a text must hold for a pattern to match at all, far cheaper to tell; the pattern; what stands in its place."""
_MARK = late_regex(r"<\w+>")
_WORD = late_regex(r"[^\W\d_]{3}")
_FRAMES = late_regex(r"^Traceback \(most recent call last\)")


def template(message: str) -> str:
    """The message without what varies, in one line, shortened. Of a traceback, its last line: the error itself."""
    text = message.strip()
    if _FRAMES.match(text):
        text = text.splitlines()[-1].strip()
    return _masked(text[:READ])


@lru_cache(maxsize=16_384)
def _masked(text: str) -> str:
    """Most lines of a run stand in it many times."""
    for may_match, pattern, mark in _MASKS:
        if may_match(text):
            text = pattern.sub(mark, text)
    return " ".join(text.split())[:LONGEST]


def common_words(lines: Iterable[str]) -> str:
    """Lines of one template as they may be quoted with their number: as they stand, or without what differs."""
    words = reduce(agreed, lines)
    return re.sub(rf"{LEFT_OUT}(?: {LEFT_OUT})+", LEFT_OUT, words)


def quoted(words: str, line: str) -> str:
    """What lines have in common, in quotes, with one of them; that one alone where they share no word."""
    if words == line:
        return f"“{words}”"
    return f"“{words}” (such as “{line}”)" if _WORD.search(_MARK.sub("", words)) else f"lines such as “{line}”"


def agreed(earlier: str, line: str) -> str:
    """The words of a line in which it agrees with those before it; its template where they are not as many."""
    masked = template(line)
    if earlier in {line, masked}:
        return earlier
    earlier_words, line_words = earlier.split(), line.split()
    words = [
        word if word == line_word else LEFT_OUT for word, line_word in zip(earlier_words, line_words, strict=False)
    ]
    return " ".join(words) if len(earlier_words) == len(line_words) and any(map(_LETTER.search, words)) else masked
