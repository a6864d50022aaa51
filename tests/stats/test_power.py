from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.stats.power import change_se, mde, repeats_needed, tasks_needed, true_change_variance

WITHIN = 0.09105960264900662  # of the published run, 302 tasks
BOTH = (WITHIN, WITHIN)

variances = st.floats(0.001, 0.25)
deltas = st.floats(0.005, 0.5)


@pytest.mark.parametrize(
    ("omega2", "published"),
    [(0.0, [0.0688, 0.0486, 0.0308, 0.0218, 0.0154]), (0.01, [0.0707, 0.0512, 0.0347, 0.0271, 0.0223])],
)
def test_smallest_visible_change_of_the_known_run(omega2: float, published: list[float]) -> None:
    found = [mde(302, BOTH, (n, n), omega2) for n in (1, 2, 5, 10, 20)]
    assert found == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize(
    ("omega2", "published"),
    [(0.0, [48, 12, 6, 2]), (0.01, [math.inf, 34, 8, 3]), (0.02, [math.inf, math.inf, 13, 3])],
)
def test_repeats_the_known_run_would_need(omega2: float, published: list[float]) -> None:
    assert [repeats_needed(delta, 302, BOTH, omega2) for delta in (0.01, 0.02, 0.03, 0.05)] == published


def test_repeats_and_tasks_trade_places() -> None:
    assert repeats_needed(0.05, 100, (0.1, 0.1), 0.01) == 10
    assert tasks_needed(0.05, (0.1, 0.1), (1, 1), 0.01) == 660
    assert tasks_needed(0.05, (0.1, 0.1), (4, 4), 0.01) == 189


@pytest.mark.parametrize(("n", "published"), [(1, 0.0226), (5, 0.0268), (10, 0.0312)])
def test_for_one_cost_more_tasks_beat_more_repeats(n: int, published: float) -> None:
    assert 1.959964 * change_se(1500 // n, (0.09, 0.09), (n, n), 0.02) == pytest.approx(published, abs=5e-5)


def test_a_change_must_be_some_2_8_standard_errors_away() -> None:
    assert mde(1, (1.0, 0.0), (1, 1)) == pytest.approx(2.8016, abs=5e-5)
    assert mde(1, (1.0, 0.0), (1, 1), alpha=0.01, power=0.9) == pytest.approx(2.575829 + 1.281552, abs=1e-6)


def test_the_two_runs_may_differ() -> None:
    assert change_se(10, (0.2, 0.1), (4, 2), 0.05) == pytest.approx(math.sqrt((0.05 + 0.05 + 0.05) / 10))
    assert change_se(10, (0.2, 0.1), (4, 1), 0.05) == pytest.approx(math.sqrt((0.05 + 0.05 + 0.1) / 10))


def test_an_estimate_of_omega2_below_zero_counts_as_zero() -> None:
    assert change_se(10, BOTH, (3, 3), -0.02) == change_se(10, BOTH, (3, 3))
    assert repeats_needed(0.02, 302, BOTH, -0.02) == repeats_needed(0.02, 302, BOTH)
    assert tasks_needed(0.02, BOTH, (3, 3), -0.02) == tasks_needed(0.02, BOTH, (3, 3))


def test_without_tasks_rows_or_a_change_nothing_suffices() -> None:
    assert mde(0, BOTH, (3, 3)) == math.inf
    assert mde(10, BOTH, (3, 0)) == math.inf
    assert repeats_needed(0.0, 302, BOTH) == math.inf
    assert repeats_needed(0.05, 0, BOTH) == math.inf
    assert tasks_needed(0.0, BOTH, (3, 3)) == math.inf
    assert tasks_needed(0.1, BOTH, (0, 3)) == math.inf


def test_runs_without_noise_need_one_row_and_see_everything() -> None:
    assert mde(10, (0.0, 0.0), (1, 1)) == 0.0
    assert repeats_needed(0.01, 10, (0.0, 0.0)) == 1
    assert tasks_needed(0.01, (0.0, 0.0), (1, 1)) == 1


def test_a_fall_needs_as_many_as_a_rise() -> None:
    assert repeats_needed(-0.03, 302, BOTH) == repeats_needed(0.03, 302, BOTH)
    assert tasks_needed(-0.03, BOTH, (2, 2)) == tasks_needed(0.03, BOTH, (2, 2))


@given(deltas, st.integers(2, 2000), variances, variances, st.floats(0, 0.05))
def test_the_repeats_needed_suffice_and_one_fewer_does_not(
    delta: float, tasks: int, a: float, b: float, omega2: float
) -> None:
    n = repeats_needed(delta, tasks, (a, b), omega2)
    if math.isinf(n):
        assert mde(tasks, (a, b), (1e15, 1e15), omega2) >= delta * (1 - 1e-6)
        return
    assert mde(tasks, (a, b), (n, n), omega2) <= delta * (1 + 1e-6)
    if n > 1:
        assert mde(tasks, (a, b), (n - 1, n - 1), omega2) > delta * (1 - 1e-6)


@given(deltas, st.integers(1, 20), variances, variances, st.floats(0, 0.05))
def test_the_tasks_needed_suffice_and_one_fewer_does_not(
    delta: float, n: int, a: float, b: float, omega2: float
) -> None:
    tasks = tasks_needed(delta, (a, b), (n, n), omega2)
    assert isinstance(tasks, int)
    assert mde(tasks, (a, b), (n, n), omega2) <= delta * (1 + 1e-6)
    if tasks > 1:
        assert mde(tasks - 1, (a, b), (n, n), omega2) > delta * (1 - 1e-6)


def test_variance_of_true_changes_by_hand() -> None:
    changes, noise = [0.0, 0.25, -0.5, 0.25], [0.02, 0.01, 0.0, 0.05]
    found = true_change_variance(changes, noise)
    assert found == pytest.approx(statistics.variance(changes) - 0.02, abs=1e-12)
    assert true_change_variance([0.1], [0.0]) is None
    with pytest.raises(ValueError):
        true_change_variance([0.1, 0.2], [0.0])


def test_variance_of_true_changes_is_unbiased() -> None:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(1500):
        a = rng.uniform(0.2, 0.6, size=40)
        b = a + rng.normal(0.05, 0.1, size=40).clip(-0.2, 0.4)
        ca, cb = rng.binomial(4, a), rng.binomial(4, b)
        noise = (ca * (4 - ca) + cb * (4 - cb)) / (4 * 3 * 4)
        found.append(true_change_variance(((cb - ca) / 4).tolist(), noise.tolist()) or 0.0)
    assert np.mean(found) == pytest.approx(0.01, abs=0.0012)
