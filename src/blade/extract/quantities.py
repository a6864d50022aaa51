"""Whether two texts are one quantity in two units: 2500ms and 2.5s, 90 min and 1.5h, 2 km and 2000 m."""

from __future__ import annotations

from fractions import Fraction

from blade.late_regex import late_regex

_QUANTITY = late_regex(r"([-+]?\d{1,12}(?:\.\d{1,9})?) ?([A-Za-zµ]{1,7})")
_SECONDS = {"us": "0.000001", "µs": "0.000001", "ms": "0.001", "s": "1", "sec": "1", "m": "60", "min": "60"}
_SECONDS |= {"h": "3600", "hr": "3600", "d": "86400"}
_METRES = {"mm": "0.001", "cm": "0.01", "m": "1", "km": "1000"}
_GRAMS = {"mg": "0.001", "g": "1", "kg": "1000"}
_BYTES = {"KiB": "1024", "MiB": "1048576", "GiB": "1073741824"}
_UNITS = [{unit: Fraction(size) for unit, size in units.items()} for units in (_SECONDS, _METRES, _GRAMS, _BYTES)]


def is_same_quantity(text: str, other: str) -> bool:
    """Only of two units that measure one thing; of one unit in two writings others speak."""
    first, second = _QUANTITY.fullmatch(text.strip()), _QUANTITY.fullmatch(other.strip())
    if first is None or second is None or first[2] == second[2]:
        return False
    return any(
        first[2] in units
        and second[2] in units
        and Fraction(first[1]) * units[first[2]] == Fraction(second[1]) * units[second[2]]
        for units in _UNITS
    )
