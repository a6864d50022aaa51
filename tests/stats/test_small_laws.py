"""What stands in for scipy.stats says what scipy.stats says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from blade.stats.binomial import quantile, sign_p
from blade.stats.rank_sum import rank_sum_p

VALUES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]) | st.floats(-5, 5), min_size=5, max_size=40)


@given(st.integers(0, 400), st.integers(0, 400))
def test_the_sign_test_is_the_binomial_test(more: int, fewer: int) -> None:
    wanted = stats.binomtest(more, more + fewer).pvalue if more + fewer else 1.0
    assert sign_p(more, fewer) == pytest.approx(wanted, rel=1e-9)


@given(st.floats(0.001, 0.999), st.integers(1, 2000), st.data())
def test_the_quantile_is_that_of_the_binomial_law(share: float, n: int, data: st.DataObject) -> None:
    p = data.draw(st.integers(1, n)) / n
    assert quantile(share, n, p) == int(stats.binom.ppf(share, n, p))


@given(VALUES, VALUES)
def test_the_rank_sum_test_is_that_of_mann_and_whitney(one: list[float], other: list[float]) -> None:
    a, b = np.array(one), np.array(other)
    if np.ptp(np.concatenate([a, b])) == 0:
        assert rank_sum_p(a, b) == 1.0
        return
    wanted = float(stats.mannwhitneyu(a, b, method="asymptotic").pvalue)
    assert rank_sum_p(a, b) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
