"""Required values that the verifier did not find in the messages although the model says them in another form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.field_roles import HEAVY
from blade.extract.names import words
from blade.extract.text import clip
from blade.extract.unsaid import unsaid
from blade.late_regex import late_regex

MOST = 3
LONGEST_REQUIRED, LONGEST = 80, 160
MOST_KEYS = 6
DEEPEST = 4
FEWEST_DIGITS = 3
STEM = 5
_LISTS = frozenset("missing unmet unsaid unheard absent lacking".split())
"""Words of fields that list what was required and not said."""
_NUMBER = late_regex(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,]\d)")
_NEGATIVE = late_regex(r"(?:^|[\s($])[-\u2212]\s?[$\u20ac\u00a3]?$")
_WORD = late_regex(r"[^\W\d_]+")
_CENTS = late_regex(r"(\d[\d,]*)(?: [a-z]+)? and (\d\d?) (?:cents|ct)\b", re.IGNORECASE)


def said_otherwise(attempt: Attempt) -> dict[str, Any]:
    """`said_otherwise`: `[required text, the words of the model with the same number]` each, of a lost rollout.

    Nothing where another required text is not said at all.
    """
    if not attempt.lost or not attempt.messages:
        return {}
    required = dict.fromkeys(text.strip() for text in _required(attempt) if 0 < len(text.strip()) <= LONGEST_REQUIRED)
    messages = [step.text for step in attempt.messages]
    missing = [text for text in required if not any(text.lower() in message.lower() for message in messages)]
    quotes = [[text, quote] for text in missing if (quote := _quote(messages, text))]
    return {"said_otherwise": quotes[:MOST]} if quotes and len(quotes) == len(missing) else {}


def _required(attempt: Attempt) -> Iterator[str]:
    """Texts of which the verifier says that they are not there, and expected answers that no message holds."""
    for answer, _ in attempt.once(unsaid).get("unsaid", ()):
        yield answer
    for key, value in attempt.row.items():
        if isinstance(value, dict | list) and key not in HEAVY and not key.startswith("_"):
            yield from _denied(key, value, DEEPEST)


def _denied(key: str, value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        texts = [text for text in value.values() if isinstance(text, str)]
        flags = [flag for flag in value.values() if isinstance(flag, bool)]
        if len(texts) == 1 and flags == [False] and len(value) <= MOST_KEYS:
            yield texts[0]
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _denied(str(name), inner, depth - 1)
    elif isinstance(value, list) and depth:
        listed = not _LISTS.isdisjoint(words(key))
        for item in value:
            if isinstance(item, str) and listed:
                yield item
            elif isinstance(item, dict | list):
                yield from _denied(key, item, depth - 1)


def _numbers(text: str) -> list[Fraction]:
    """The numbers of a text, those of money with their cents in words, too."""
    values = [_value(match) for match in _NUMBER.finditer(text)]
    return values + [_whole(match[1]) + Fraction(int(match[2]), 100) for match in _CENTS.finditer(text)]


def _value(match: re.Match[str]) -> Fraction:
    negative = _NEGATIVE.search(match.string[: match.start()]) is not None
    return -_whole(match.group()) if negative else _whole(match.group())


def _whole(number: str) -> Fraction:
    return Fraction(number.replace(",", ""))


def _quote(messages: Sequence[str], text: str) -> str:
    """The line of a message that has the one number of a text, and its words, in another form.

    Small numbers stand in any message.
    """
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) != 1 or sum(map(str.isdigit, numbers[0].group())) < FEWEST_DIGITS:
        return ""
    number, words_of_text = _value(numbers[0]), _WORD.findall(text.lower())
    for message in reversed(messages):
        for line in message.split("\n"):
            if number in _numbers(line) and all(word[:STEM] in line.lower() for word in words_of_text):
                return clip(" ".join(line.split()), LONGEST)
    return ""
