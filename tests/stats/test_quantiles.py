"""Quantiles and groups of equal values are numpy's, to the last bit."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from blade.stats.quantiles import quantiles, tied_groups

NUMBERS = st.lists(st.floats(-1e9, 1e9) | st.integers(0, 3).map(float), min_size=1, max_size=40)


@given(NUMBERS, st.floats(0, 1))
def test_a_quantile_is_numpys(values: list[float], share: float) -> None:
    assert quantiles(values, [share]) == [float(np.quantile(values, share))]


def test_where_a_value_is_no_number_there_is_no_quantile() -> None:
    assert math.isnan(quantiles([1.0, math.nan, 2.0], [0.5])[0])


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -1.0, math.nan]), max_size=20))
def test_groups_of_equal_values_are_numpys(values: list[float]) -> None:
    row = np.array(values, np.float64)
    _, inverse, counts = np.unique(row, return_inverse=True, return_counts=True)
    groups, sizes = tied_groups(row)
    assert groups.tolist() == inverse.tolist()
    assert sizes.tolist() == counts.tolist()
