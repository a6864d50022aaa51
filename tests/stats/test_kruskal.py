"""The test of Kruskal and Wallis, against scipy's own."""

from __future__ import annotations

import pytest
from scipy import stats

from blade.stats.rank_sum import kruskal_p


@pytest.mark.parametrize(
    "samples",
    [
        [[0.0, 0.25, 1.0], [0.5, 0.75, 1.0]],
        [[0, 0, 0, 1], [1, 1, 0, 1], [0, 0, 1, 1, 1]],
        [[1.0], [2.0], [3.0, 4.0, 5.0], [0.5] * 7],
    ],
)
def test_it_is_the_test_of_scipy(samples: list[list[float]]) -> None:
    assert kruskal_p(samples) == pytest.approx(float(stats.kruskal(*samples).pvalue), rel=1e-9)


def test_equal_values_differ_by_nothing() -> None:
    assert kruskal_p([[1.0, 1.0], [1.0]]) == 1.0
