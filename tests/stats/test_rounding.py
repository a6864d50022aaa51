"""Numbers keep the digits that mean something, and no others."""

from __future__ import annotations

import math

import pytest

from blade.stats.rounding import significant


@pytest.mark.parametrize(
    ("value", "digits", "kept"),
    [
        (0.41549838716173515, 6, 0.415498),
        (0.41549838716173515, 12, 0.415498387162),
        (-1234567.891, 6, -1234570.0),
        (1.00000049e-6, 6, 1.0e-6),
        (0.0, 6, 0.0),
        (42.0, 12, 42.0),
    ],
)
def test_so_many_digits_are_kept_wherever_the_point_stands(value: float, digits: int, kept: float) -> None:
    assert significant(value, digits) == kept


def test_what_is_no_number_stays_what_it_is() -> None:
    assert significant(math.inf, 6) == math.inf
    assert math.isnan(significant(math.nan, 6))
