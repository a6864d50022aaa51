"""Numbers as a text prints them, and whether one shows a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

COARSEST = 0.005
"""Numbers that agree to two decimals agree."""
_NUMBER = re.compile(r"(?<![\w.])-?(\d[\d,]*(?:\.\d+)?)(\s?%)?")


def printed(text: str) -> Iterator[tuple[float, float]]:
    """Every number of a text with half a unit of its last place; percentages as fractions."""
    for match in _NUMBER.finditer(text):
        digits = match[1].replace(",", "")
        places = len(digits.partition(".")[2]) + (2 if match[2] else 0)
        yield float(digits) / (100 if match[2] else 1), 0.5 * 10**-places


def shows(printed: tuple[float, float], value: float) -> bool:
    """Either may be rounded more than the other."""
    number, half = printed
    return bool(abs(number - value) <= min(max(half, 0.5 * 10 ** -places(value)), COARSEST) + 1e-9)


def places(value: float) -> int:
    """How many decimals a number is written out to; none for whole ones."""
    text = repr(value).removesuffix(".0")
    return len(text.partition(".")[2]) if "e" not in text else 12


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
