"""Whether a window of a report has the numbers that an anchor fact has."""

from __future__ import annotations

from collections.abc import Sequence

from blade.anchors.anchor import Anchor
from blade.checking.numbers import Printed, same
from blade.judge.verify import Held

CLOSE = 0.06
TELLING = 10
"""From here on a count tells by itself what it is part of."""


def numbers_agree(wanted: Sequence[Printed], window: Sequence[Held]) -> float:
    if not wanted:
        return 1.0
    there = [token.number for one in window for token in one.said.numbers if token.number is not None]
    return sum(any(close(number, other) for other in there) for number in wanted) / len(wanted)


def close(wanted: Printed, other: Printed) -> bool:
    """Whether two numbers tell the same, one of them perhaps rounded."""
    if wanted.unit == "ratio" and other.unit == "ratio":
        return (wanted.value, wanted.of) == (other.value, other.of)
    rate, told = _rate(wanted), _rate(other)
    if rate is not None and told is not None:
        return abs(rate - told) <= max(0.006, CLOSE * abs(rate))
    if wanted.unit == "ratio" and other.unit == "plain":
        return wanted.value >= TELLING and other.value == wanted.value
    if wanted.unit == "plain" and other.unit in {"plain", "ratio"}:
        return same(wanted, Printed(other.value, other.decimals, "plain"), signed=False)
    return False


def _rate(number: Printed) -> float | None:
    if number.unit == "ratio":
        return number.value / number.of if number.of else None
    if number.unit in {"percent", "points"}:
        return abs(number.value) / 100
    return abs(number.value) if number.decimals >= 2 and abs(number.value) <= 1 else None


def states_value(value: float, anchor: Anchor, window: tuple[Held, ...]) -> bool:
    """Whether a number of the window is the predicate's value within its tolerance."""
    slack = anchor.predicate.tolerance if anchor.predicate else 0.0
    for held in window:
        for token in held.said.numbers:
            number = token.number
            if number is None:
                continue
            rate = _rate(number)
            if (
                rate is not None
                and abs(value) <= 1.0
                and abs(rate - abs(value)) <= max(slack, 0.5 * 10.0 ** -(number.decimals + 2), 0.005)
            ):
                return True
            if number.unit in {"plain", "ratio"} and abs(abs(number.value) - abs(value)) <= max(
                slack, 0.5 * 10.0**-number.decimals - 1e-9
            ):
                return True
    return False
