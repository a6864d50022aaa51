"""How many digits of a number mean something.

What is found by searching (a fit) is as sure as the search: its last digits differ from one processor to the next. All
else is arithmetic, and only the order in which a processor adds differs.
"""

from __future__ import annotations

FITTED = 6
"""Significant digits of what was fitted."""

WRITTEN = 12
"""Significant digits of any number that is written."""


def significant(value: float, digits: int) -> float:
    """The number with so many significant digits; infinities and NaN stay what they are."""
    return float(f"{value:.{digits}g}")
