from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from blade.stats.components import binary_components
from blade.stats.intervals import t_interval, wilson, wilson_t

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def ends(low: float, high: float) -> object:
    return pytest.approx((low, high), abs=5e-5)


def test_ten_of_ten_is_not_certainty() -> None:
    assert wilson(10, 10) == ends(0.7225, 1)


def test_seventeen_of_twenty() -> None:
    assert wilson(17, 20) == ends(0.6396, 0.9476)


def test_a_plain_normal_interval_leaves_the_scale_and_is_not_clipped() -> None:
    plain = t_interval(0.85, math.sqrt(0.85 * 0.15 / 20), math.inf)
    assert plain is not None
    assert plain[1] == pytest.approx(1.0065, abs=5e-5)


def test_known_run_has_its_published_intervals(cvdp: dict[tuple[int, int], int]) -> None:
    n, c = zip(*[pair for pair, tasks in cvdp.items() for _ in range(tasks)], strict=True)
    found = binary_components(n, c)
    assert found.score is not None
    assert found.se_super is not None
    assert found.se_fixed is not None
    assert t_interval(found.score, found.se_super, 301) == ends(0.2376, 0.3187)
    assert t_interval(found.score, found.se_fixed, math.inf) == ends(0.2629, 0.2934)


def test_wilson_agrees_with_another_implementation() -> None:
    for x, n, level in [(0, 7, 0.95), (3, 11, 0.9), (250, 1000, 0.99), (7, 7, 0.8)]:
        theirs = stats.binomtest(x, n).proportion_ci(level, method="wilson")
        assert wilson(x, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_t_is_wilson_with_t_and_effective_rows() -> None:
    p, t, se = 0.3, 12, 0.1
    n_eff, q = 0.21 / 0.01, float(stats.t.ppf(0.975, 11))
    centre = (p + q * q / (2 * n_eff)) / (1 + q * q / n_eff)
    half = q * math.sqrt(0.21 / n_eff + (q / (2 * n_eff)) ** 2) / (1 + q * q / n_eff)
    assert wilson_t(p, t, 60, se) == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_wilson_t_counts_at_least_the_tasks_and_at_most_the_rows() -> None:
    assert wilson_t(0.5, 10, 40, 0.3) == wilson_t(0.5, 10, 40, math.sqrt(0.025))  # 2.8 by the formula, hence 10
    assert wilson_t(0.5, 10, 40, 0.01) == wilson_t(0.5, 10, 40, math.sqrt(0.25 / 40))  # 2500, hence 40


def test_wilson_t_of_equal_tasks_counts_tasks_not_rows() -> None:
    flat = wilson_t(0.5, 10, 40, 0.0)
    assert flat == wilson_t(0.5, 10, 40, math.sqrt(0.025))
    assert flat == wilson_t(0.5, 10, 40, 1e-17)  # rounding left in a standard error is not information
    perfect = wilson_t(1.0, 10, 10, 0.0)
    assert perfect is not None
    q = float(stats.t.ppf(0.975, 9))
    assert perfect == pytest.approx((10 / (10 + q * q), 1.0), abs=1e-12)
    assert perfect[1] == 1.0


def test_wilson_t_needs_two_tasks() -> None:
    assert wilson_t(0.5, 1, 8, None) is None
    assert wilson_t(0.5, 1, 8, 0.1) is None


def test_a_t_interval_needs_a_degree_of_freedom() -> None:
    assert t_interval(3.0, 1.0, 0) is None
    assert t_interval(3.0, 1.0, 1) == pytest.approx((3 - 12.7062, 3 + 12.7062), abs=1e-4)
    assert t_interval(3.0, 0.0, 5) == (3.0, 3.0)


def test_without_trials_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_impossible_counts_are_refused() -> None:
    for x, n in [(3, 2), (-1, 2)]:
        with pytest.raises(ValueError):
            wilson(x, n)


def test_impossible_rates_and_levels_are_refused() -> None:
    with pytest.raises(ValueError):
        wilson_t(1.5, 10, 40, 0.1)
    with pytest.raises(ValueError):
        wilson(1, 2, 1.0)


@given(counts, levels)
def test_intervals_of_a_rate_hold_it_and_stay_inside_the_scale(count: tuple[int, int], level: float) -> None:
    x, n = count
    low, high = wilson(x, n, level)
    assert 0 <= low <= x / n <= high <= 1
    assert high > low
    mirrored = wilson(n - x, n, level)
    assert (1 - mirrored[1], 1 - mirrored[0]) == pytest.approx((low, high), abs=1e-9)


@given(counts)
def test_surer_intervals_are_wider(count: tuple[int, int]) -> None:
    x, n = count
    (low, high), (wide_low, wide_high) = wilson(x, n, 0.8), wilson(x, n, 0.99)
    assert wide_low <= low < high <= wide_high


@given(st.lists(st.tuples(st.integers(1, 6), st.floats(0, 1)), min_size=2, max_size=20), levels)
def test_wilson_t_holds_the_score_of_any_run(tasks: list[tuple[int, float]], level: float) -> None:
    n = [n for n, _ in tasks]
    c = [round(share * n) for n, share in tasks]
    found = binary_components(n, c)
    assert found.score is not None
    interval = wilson_t(found.score, found.tasks, found.rows, found.se_super, level)
    assert interval is not None
    assert 0 <= interval[0] <= found.score <= interval[1] <= 1
    assert interval[1] > interval[0]


def coverage(n: int, tasks: int, kind: str) -> tuple[float, float]:
    """Coverage in percent and mean width over 2000 runs whose task rates are Beta(.225, .598)."""
    rng = np.random.default_rng(1000 * n + tasks)
    truth, hits, widths = 0.225 / 0.823, 0, []
    for _ in range(2000):
        found = binary_components([n] * tasks, rng.binomial(n, rng.beta(0.225, 0.598, size=tasks)))
        score, se = found.score or 0.0, found.se_super or 0.0
        if kind == "wilson":
            interval = wilson_t(score, tasks, n * tasks, se)
        else:
            interval = t_interval(score, se, tasks - 1 if kind == "t" else math.inf)
        assert interval is not None
        hits += interval[0] <= truth <= interval[1]
        widths.append(interval[1] - interval[0])
    return hits / 20, float(np.mean(widths))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "tasks", "percent", "width"),
    [
        (1, 10, 96.7, 0.522),
        (1, 20, 96.2, 0.376),
        (4, 10, 97.2, 0.455),
        (4, 20, 95.3, 0.319),
        (4, 50, 95.8, 0.202),
        (4, 300, 94.8, 0.082),
    ],
)
def test_wilson_t_covers_as_published(n: int, tasks: int, percent: float, width: float) -> None:
    # two simulations of 2000: the difference has a standard error of 0.7 points
    found_percent, found_width = coverage(n, tasks, "wilson")
    assert found_percent == pytest.approx(percent, abs=2.0)
    assert found_width == pytest.approx(width, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "n", "tasks", "percent", "width"),
    [("t", 1, 10, 95.8, 0.621), ("t", 4, 10, 92.8, 0.508), ("t", 4, 20, 93.3, 0.335), ("z", 1, 10, 93.3, 0.538)],
)
def test_t_and_normal_intervals_cover_as_published(kind: str, n: int, tasks: int, percent: float, width: float) -> None:
    found_percent, found_width = coverage(n, tasks, kind)
    assert found_percent == pytest.approx(percent, abs=2.0)
    assert found_width == pytest.approx(width, abs=0.012)
