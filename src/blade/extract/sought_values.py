"""One short value, such as a key or an answer, and where it stands in what tools say: numbers are found by value.

A number may be written with marks between its thousands, with zeros behind its point, and beside a unit. A text is
found by its words, whatever their case. What is too small stands in any text by chance and is not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.prefilter import holds_any, lowered
from blade.late_regex import late_regex
from blade.model import Step

LONGEST = 120
FEWEST_LETTERS, FEWEST_DIGITS = 4, 2
MOST_PLACES = 40
LONGEST_UNIT = 24
_MARKS = ", '\u2019\u00a0\u202f"
"""What may stand between thousands."""
_NUMBER = late_regex(
    rf"(?<![\w.,])\d{{1,3}}(?:[{_MARKS}]\d{{3}})+(?:\.\d+)?(?!\d|[.,]\d)|"
    r"(?<!\d)(?<!\d[.,])\d+(?:[.,]\d{1,2}(?![\d.,]\d|\d)|\.\d+)?(?!\d|[.,]\d)"
)
_INEXACT = late_regex(
    r"\b(?:about|approx\w*|around|roughly|nearly|almost|circa|ca|some|over|under|more than|less than|"
    r"hundred|thousand|[mb]illion|trillion|[mb]n)\b|[~\u2248<>\u2264\u2265]"
)
"""Words beside a number after which another one may say the same."""
_WORDLESS = frozenset("yes no true false none null unknown n/a".split())
_LONG_WORD = late_regex(r"[^\W\d_]{4,}")
_DECLINES = late_regex(
    r"\b(?:not|no|none|nothing|never|cannot|can['\u2019]?t|couldn['\u2019]?t|unable|unknown|unavailable|undetermined|"
    r"unclear|unanswerable|insufficient|n/?a|null|nil|without)\b",
    re.IGNORECASE,
)


class SoughtValue(NamedTuple):
    """A value to look for. `hints` are writings of which a text in small letters holds one where the value stands."""

    text: str
    number: str
    """A number in plain digits; empty for a text."""
    digits: int
    """How many digits a number is written with; 0 for a text."""
    hints: tuple[str, ...]
    pattern: re.Pattern[str]

    def places(self, low: str) -> Iterator[tuple[int, int]]:
        """Where the value stands in a text in small letters."""
        if holds_any(low, self.hints):
            for match in islice(self.pattern.finditer(low), MOST_PLACES):
                yield match.span()

    def stands_in(self, low: str) -> bool:
        return next(self.places(low), None) is not None

    def is_told_by(self, low: str) -> bool:
        """Whether a text may tell the value in any writing: then nobody can say that it does not show it."""
        if self.stands_in(low):
            return True
        if self.digits:
            return False
        if numbers := _numbers(self.text):
            return all(holds_any(low, _writings(number)) for number in numbers)
        long_words = _LONG_WORD.findall(self.text)
        return bool(long_words) and all(word in low for word in long_words)


@lru_cache(maxsize=4096)
def sought(text: str) -> SoughtValue | None:
    """What to look for; None for a text that is too long or too small, for a yes or a no, and for a rounded number."""
    plain = lowered(" ".join(text.split())).strip(" .\"'`*$")
    if not plain or len(plain) > LONGEST or plain in _WORDLESS:
        return None
    numbers = _numbers(plain)
    if numbers and _INEXACT.search(plain):
        return None
    if len(numbers) == 1 and len(_NUMBER.sub("", plain)) <= LONGEST_UNIT:
        return _sought_number(plain, numbers[0])
    letters = sum(char.isalpha() for char in plain)
    if letters < FEWEST_LETTERS and sum(char.isdigit() for char in plain) < FEWEST_DIGITS:
        return None
    words = plain.split(" ")
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return SoughtValue(plain, "", 0, (words[0],), re.compile(pattern))


def declines(answer: str) -> bool:
    """Whether an answer says that there is none; what holds a figure is one."""
    return not any(char.isdigit() for char in answer) and (not answer.strip() or _DECLINES.search(answer) is not None)


def _sought_number(plain: str, number: str) -> SoughtValue | None:
    digits = len(number.replace(".", "").lstrip("0"))
    if digits < FEWEST_DIGITS:
        return None
    integer_part, _, part = number.partition(".")
    groups = f"{int(integer_part):,}".split(",")
    before = r"(?<![\w.])" if len(groups[0]) < 3 else r"(?<![\w.])(?<!\d,)"
    body = f"[{_MARKS}]?".join(groups) + (rf"[.,]{part}0*" if part else r"(?:\.0+)?")
    pattern = re.compile(rf"{before}{body}(?!\d|\.\d|,\d{{3}}(?!\d))")
    return SoughtValue(plain, number, digits, _writings(number), pattern)


def _numbers(plain: str) -> tuple[str, ...]:
    """The numbers of a text as digits with a point: no marks, no zeros that say nothing."""
    return tuple(_plain_number(match.group()) for match in _NUMBER.finditer(plain))


def _plain_number(number: str) -> str:
    if number.count(",") == 1 and len(number.rpartition(",")[2]) < 3:
        number = number.replace(",", ".")
    integer_part, _, part = "".join(char for char in number if char.isdigit() or char == ".").partition(".")
    part = part.rstrip("0")
    return (integer_part.lstrip("0") or "0") + (f".{part}" if part else "")


def _writings(number: str) -> tuple[str, ...]:
    """The usual writings of a number, the marks between thousands in and out; the part behind the point stays off."""
    grouped = f"{int(number.partition('.')[0]):,}"
    return tuple(dict.fromkeys(grouped.replace(",", mark) for mark in ("", *_MARKS)))


class ToolAnswer(NamedTuple):
    """What a tool says to a call, and the same in small letters."""

    call: Call
    step: Step
    low: str


def tool_answers(attempt: Attempt) -> list[ToolAnswer]:
    """What the tools say, in order."""
    answered = attempt.answered
    return [ToolAnswer(call, answer.step, attempt.low(answer.step)) for call in answered for answer in call.answers]
