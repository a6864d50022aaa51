"""What counts as a number, and what a reward really was when it does not."""

from __future__ import annotations

import math
from typing import Any

from blade.late_regex import late_regex

LARGEST = 1e15
"""Beyond it a step of 1 is lost in rounding: such a score is no measure, and its sums are none either."""
"""Beyond this the squares that statistics are made of leave the range of a float."""
_WHOLE = late_regex(r"-?[0-9]{1,17}")


def number(value: Any) -> float | None:
    """A finite float from an int or float (a bool counts as 0 or 1); anything else is None."""
    if value is None:
        return None
    if isinstance(value, (int, float)):
        try:
            as_float = float(value)
        except OverflowError:
            return None
        return as_float if math.isfinite(as_float) else None
    return None


def integer(value: Any) -> int | None:
    """An index: an int, or a float or string that is one exactly; never a bool."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 1 << 62 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1 << 53 else None
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return None


def score_of(value: Any) -> tuple[float | None, str | None]:
    """A reward as (number, None), or (None, what was there instead)."""
    if value is None:
        return None, "null"
    if isinstance(value, (bool, int, float)):
        score = number(value)
        if score is not None and abs(score) < LARGEST:
            return score, None
        return None, "nan" if value != value else "infinite"  # noqa: PLR0124 - the test for NaN
    names: dict[type, str] = {str: "string", list: "list", dict: "object"}
    return None, names.get(type(value), "other")
