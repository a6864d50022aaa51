"""Whether a window of a report has the numbers that an anchor fact has."""

from __future__ import annotations

from collections.abc import Sequence

from blade.anchors.anchor import Anchor
from blade.checking.numbers import Printed, same_number
from blade.judge.verify import CheckedStatement

CLOSE = 0.06
TELLING = 10
"""From here on a count tells by itself what it is part of."""


def numbers_agree(expected: Sequence[Printed], window: Sequence[CheckedStatement]) -> float:
    if not expected:
        return 1.0
    printed = [token.number for checked in window for token in checked.statement.numbers if token.number is not None]
    return sum(any(close(number, number_there) for number_there in printed) for number in expected) / len(expected)


def close(expected: Printed, printed: Printed) -> bool:
    """Whether two numbers tell the same, one of them perhaps rounded."""
    if expected.unit == "ratio" and printed.unit == "ratio":
        return (expected.value, expected.of) == (printed.value, printed.of)
    rate, printed_rate = _rate(expected), _rate(printed)
    if rate is not None and printed_rate is not None:
        return abs(rate - printed_rate) <= max(0.006, CLOSE * abs(rate))
    if expected.unit == "ratio" and printed.unit == "plain":
        return expected.value >= TELLING and printed.value == expected.value
    if expected.unit == "plain" and printed.unit in {"plain", "ratio"}:
        return same_number(expected, Printed(printed.value, printed.decimals, "plain"), signed=False)
    return False


def _rate(number: Printed) -> float | None:
    if number.unit == "ratio":
        return number.value / number.of if number.of else None
    if number.unit in {"percent", "points"}:
        return abs(number.value) / 100
    return abs(number.value) if number.decimals >= 2 and abs(number.value) <= 1 else None


def states_value(value: float, anchor: Anchor, window: tuple[CheckedStatement, ...]) -> bool:
    """Whether a number of the window is the predicate's value within its tolerance."""
    slack = anchor.predicate.tolerance if anchor.predicate else 0.0
    for checked in window:
        for token in checked.statement.numbers:
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
