"""Whether an answer is the key in another unit: one that the task names, where the key seems to take its neighbour."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from blade.extract.equivalent import value_of


class UnitPair(NamedTuple):
    """A smaller and a larger unit of one thing, as patterns of their words, and how many of one make the other."""

    factor: int
    smaller: str
    larger: str
    name: str


_PAIRS = tuple(
    UnitPair(factor, smaller, larger, name)
    for factor, smaller, larger, name in (
        (12, r"inch(?:es)?|in\.", r"foot|feet|ft", "inches and feet"),
        (36, r"inch(?:es)?|in\.", r"yards?", "inches and yards"),
        (3, r"foot|feet|ft", r"yards?", "feet and yards"),
        (12, r"months?|monthly", r"years?|yearly|annual(?:ly)?", "months and years"),
        (52, r"weeks?|weekly", r"years?|yearly|annual(?:ly)?", "weeks and years"),
        (365, r"days?|daily", r"years?|yearly|annual(?:ly)?", "days and years"),
        (7, r"days?|daily", r"weeks?|weekly", "days and weeks"),
        (24, r"hours?|hourly", r"days?|daily", "hours and days"),
        (60, r"minutes?|mins?", r"hours?|hourly", "minutes and hours"),
        (60, r"seconds?|secs?", r"minutes?|mins?", "seconds and minutes"),
        (3600, r"seconds?|secs?", r"hours?|hourly", "seconds and hours"),
        (100, r"cents?|¢", r"dollars?|\$", "cents and dollars"),
        (100, r"centimet(?:er|re)s?|cm", r"met(?:er|re)s?|m", "centimetres and metres"),
        (1000, r"millimet(?:er|re)s?|mm", r"met(?:er|re)s?|m", "millimetres and metres"),
        (1000, r"met(?:er|re)s?|m", r"kilomet(?:er|re)s?|km", "metres and kilometres"),
        (1000, r"grams?|g", r"kilograms?|kilos?|kg", "grams and kilograms"),
        (1000, r"millilit(?:er|re)s?|ml", r"lit(?:er|re)s?|l", "millilitres and litres"),
        (16, r"ounces?|oz", r"pounds?|lbs?", "ounces and pounds"),
        (4, r"quarts?", r"gallons?", "quarts and gallons"),
    )
)


def unit_factor(answer: str, key: str, task: str) -> UnitPair | None:
    """The pair of units between answer and key, where the task names one of the two alone and the answer is in it.

    Where the task names both, to convert is part of it, and the answer is wrong as it stands.
    """
    answer_value, key_value = value_of(answer), value_of(key)
    if not answer_value or not key_value:
        return None
    ratio = (Fraction(answer_value) / Fraction(key_value)).as_integer_ratio()
    for pair in _PAIRS:
        of_smaller, of_larger = (pair.factor, 1), (1, pair.factor)
        if ratio not in (of_smaller, of_larger):
            continue
        smaller, larger = _names(task, pair.smaller), _names(task, pair.larger)
        if smaller != larger and ratio == (of_smaller if smaller else of_larger):
            return pair
    return None


def _names(task: str, unit: str) -> bool:
    """Whether a task names a unit; right after a number its short form will do."""
    return re.search(rf"(?<![A-Za-z])(?:{unit})(?![A-Za-z])", task, re.IGNORECASE) is not None
