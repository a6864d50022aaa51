"""Numbers as they are printed, and the values that they may stand for.

A number with d decimals stands for every value that rounds to it. Percentages and points stand for fractions.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from blade.frozen import frozen

_NUMBER = re.compile(r"(?P<bound>[<>]?)(?P<sign>[+−-]?)(?P<digits>[\d,]+(?:\.\d+)?)")
_RATIO = re.compile(r"([\d,]+)\s*(?:/|(?:out )?of(?: the| its| all)?)\s*([\d,]+)$")
_SLACK = 1e-9

Path = tuple[str | int, ...]
_SMALL = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
)
WORDS = {word: number for number, word in enumerate([*_SMALL.split(), "nineteen", "twenty"], 2)}
"""Numbers as people write them out; "one" is too common to count something."""
_WORDED = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)


@frozen
class Printed:
    """A number as it stands in a text."""

    value: float
    decimals: int
    unit: str  # percent, points, ratio, plain
    sign: str = ""
    bound: str = ""
    of: int | None = None
    """The whole of "3 of 4"."""


@frozen
class Figure:
    """A value of the analysis and its place there."""

    value: float
    path: Path


def printed(text: str) -> Printed:
    text = _WORDED.sub(lambda match: str(WORDS[match[0].lower()]), text).replace(" times ", " ")
    ratio = _RATIO.match(text)
    if ratio:
        return Printed(_value(ratio[1]), 0, "ratio", of=int(_value(ratio[2])))
    match = _NUMBER.match(text)
    if match is None:  # a text that the tokens took for a number begins with one
        return Printed(math.nan, 0, "plain")
    decimals = len(match["digits"].partition(".")[2])
    suffix = text[match.end() :].strip()
    unit = "percent" if suffix in {"%", "percent"} else "points" if suffix else "plain"
    sign = "-" if match["sign"] in {"−", "-"} else match["sign"]
    value = _value(match["digits"])
    return Printed(-value if sign == "-" else value, decimals, unit, sign, match["bound"])


def _value(digits: str) -> float:
    return float(digits.replace(",", "")[:300])


def stands_for(number: Printed, value: float) -> bool:
    """Whether the value, rounded as the number is, prints as the number. Without a sign a loss is told as a size."""
    if not math.isfinite(value):
        return False
    if number.unit in {"percent", "points"}:
        value *= 100
    stated = number.value
    if not number.sign:
        value = abs(value)
    if number.bound == "<":
        return 0 < value < stated
    if number.bound == ">":
        return stated < value < 100
    return abs(value - stated) <= 0.5 * 10.0**-number.decimals + _SLACK * max(1.0, abs(stated))


def same_number(stated: Printed, expected: Printed, *, signed: bool) -> bool:
    """Whether two printed numbers tell the same, one perhaps more coarsely: 61% for 60.6%, 0.606 for 60.6%."""
    if "ratio" in {stated.unit, expected.unit}:
        return (stated.value, stated.of) == (expected.value, expected.of)
    mixed = (stated.unit == "plain") != (expected.unit == "plain")
    if mixed and min(number.decimals for number in (stated, expected) if number.unit == "plain") < 2:
        return False
    (stated_value, coarse), (expected_value, fine) = _fraction(stated), _fraction(expected)
    if not signed and not (stated.sign and expected.sign):
        stated_value, expected_value = abs(stated_value), abs(expected_value)
    return (
        stated.bound == expected.bound
        and abs(stated_value - expected_value) <= 0.5 * 10.0 ** -min(coarse, fine) + _SLACK
    )


def _fraction(number: Printed) -> tuple[float, int]:
    """The value on the scale of the analysis, and how many decimals it has there."""
    if number.unit == "plain":
        return number.value, number.decimals
    return number.value / 100, number.decimals + 2


class Figures:
    """Values of the analysis, sorted, so that a number finds what it may stand for."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._sorted = sorted(
            (figure for figure in figures if math.isfinite(figure.value)), key=lambda item: item.value
        )
        self._values = [figure.value for figure in self._sorted]

    def __len__(self) -> int:
        return len(self._sorted)

    def __iter__(self) -> Iterator[Figure]:
        return iter(self._sorted)

    def fit(self, number: Printed) -> Figure | None:
        """A value that the number may stand for."""
        return None if number.unit == "ratio" else next(self.fitting(number), None)

    def fitting(self, number: Printed) -> Iterator[Figure]:
        """Every value that the number may stand for; of "3 of 4" the values of its part."""
        if number.unit == "ratio":
            number = Printed(number.value, 0, "plain", "+")
        elif number.bound:
            yield from (figure for figure in self._sorted if stands_for(number, figure.value))
            return
        scale = 100.0 if number.unit in {"percent", "points"} else 1.0
        half = 0.5 * 10.0**-number.decimals + 1e-6 * max(1.0, abs(number.value))
        for middle in {number.value, -number.value} if not number.sign else {number.value}:
            place = bisect_left(self._values, (middle - half) / scale)
            while place < len(self._values) and self._values[place] * scale <= middle + half:
                if stands_for(number, self._values[place]):
                    yield self._sorted[place]
                place += 1


def leaves(value: Any, path: Path = ()) -> Iterator[Figure]:
    """Every number inside plain data, with its place."""
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        yield Figure(float(value), path)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, str(key)))
    elif isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, place))
