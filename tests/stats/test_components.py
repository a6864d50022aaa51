from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.stats.components import binary_components, components
from blade.stats.intervals import t_interval

if TYPE_CHECKING:
    import random

pairs = st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
runs = st.lists(pairs, min_size=1, max_size=25)


def test_known_run_has_its_published_components(cvdp: dict[tuple[int, int], int]) -> None:
    n, c = zip(*[pair for pair, tasks in cvdp.items() for _ in range(tasks)], strict=True)
    found = binary_components(n, c)
    assert (found.tasks, found.rows) == (302, 1510)
    assert found.within == pytest.approx(0.091060, abs=1e-6)
    assert found.total == pytest.approx(0.128358, abs=1e-6)
    assert found.between == pytest.approx(0.110146, abs=1e-6)
    assert found.icc == pytest.approx(0.54743, abs=5e-6)
    assert found.se_super == pytest.approx(0.020616, abs=1e-6)
    assert found.se_fixed == pytest.approx(0.007766, abs=1e-6)
    assert found.n_eff == pytest.approx(472.4, abs=0.05)
    assert found.deff == pytest.approx(3.196, abs=5e-4)


def test_known_run_has_its_published_row_error(cvdp: dict[tuple[int, int], int]) -> None:
    n, c = zip(*[pair for pair, tasks in cvdp.items() for _ in range(tasks)], strict=True)
    found = binary_components(n, c)
    assert found.se_super is not None
    assert found.deff is not None
    assert found.se_super / math.sqrt(found.deff) == pytest.approx(0.011531, abs=1e-6)


def test_unequal_repeats_by_hand() -> None:
    # 1111, 00, 100, 1: w is 0, 0, 1/3; the single row takes their mean, 1/9
    found = binary_components([4, 2, 3, 1], [4, 0, 1, 1])
    assert found.score == pytest.approx(7 / 12)
    assert found.within == pytest.approx(1 / 9)
    assert found.total == pytest.approx(statistics.variance([1, 0, 1 / 3, 1]))
    noise = (0 + 0 + 1 / 9 + 1 / 9) / 4
    assert found.total is not None
    assert found.between == pytest.approx(found.total - noise)
    assert found.se_fixed == pytest.approx(math.sqrt(noise * 4) / 4)


def test_one_row_per_task_leaves_the_noise_unidentified() -> None:
    found = binary_components([1, 1, 1, 1], [1, 0, 0, 1])
    assert (found.within, found.between, found.icc, found.se_fixed) == (None, None, None, None)
    assert found.se_super == pytest.approx(math.sqrt(1 / 3 / 4))


def test_one_task_leaves_the_spread_of_tasks_unidentified() -> None:
    found = binary_components([4], [1])
    assert (found.total, found.between, found.icc, found.se_super) == (None, None, None, None)
    assert (found.n_eff, found.deff) == (None, None)
    assert found.se_fixed == pytest.approx(math.sqrt(0.25 / 4))


def test_no_rows_leave_nothing() -> None:
    found = binary_components([0, 0], [0, 0])
    assert (found.score, found.tasks, found.rows, found.total, found.within) == (None, 0, 0, None, None)


def test_tasks_without_rows_are_left_out() -> None:
    assert binary_components([3, 0, 2], [1, 0, 2]) == binary_components([3, 2], [1, 2])
    assert components([3, 0, 2], [1.0, math.nan, 2.0], [0.5, math.nan, 0.1]) == components([3, 2], [1, 2], [0.5, 0.1])


def test_equal_task_means_are_worth_one_row_per_task() -> None:
    found = binary_components([5] * 3, [1] * 3)  # three times 0.2, over 3, is not 0.2 in floating point
    assert (found.total, found.se_super) == (0.0, 0.0)
    assert found.n_eff == 3
    assert found.deff == 5
    assert found.between is not None
    assert found.between < 0  # unbiased: tasks that agree better than chance


def test_rows_that_never_vary_have_no_correlation() -> None:
    found = binary_components([4] * 5, [4] * 5)
    assert (found.within, found.between, found.icc, found.se_fixed) == (0.0, 0.0, None, 0.0)


def test_effective_rows_stay_between_tasks_and_rows() -> None:
    alike = binary_components([4] * 6, [2, 2, 2, 2, 2, 1])  # nearly no spread: more than 24 by the formula
    assert alike.n_eff == 24
    apart = binary_components([4] * 6, [4, 0, 4, 0, 4, 0])  # 5 by the formula
    assert apart.n_eff == 6


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError):
        binary_components([3], [4])
    with pytest.raises(ValueError):
        binary_components([3], [-1])


@given(runs)
def test_binary_rows_are_a_case_of_scores(tasks: list[tuple[int, int]]) -> None:
    rows = [[1.0] * c + [0.0] * (n - c) for n, c in tasks]
    variances = [statistics.variance(task) if len(task) > 1 else math.nan for task in rows]
    scores = components([n for n, _ in tasks], [c / n for n, c in tasks], variances)
    binary = binary_components([n for n, _ in tasks], [c for _, c in tasks])
    for name in ("within", "total", "between", "se_super", "se_fixed", "n_eff", "deff"):
        one, other = getattr(scores, name), getattr(binary, name)
        assert one is other is None or one == pytest.approx(other, rel=1e-9, abs=1e-12)


@given(runs)
def test_effective_rows_of_a_rate_are_those_of_its_binomial_variance(tasks: list[tuple[int, int]]) -> None:
    found = binary_components([n for n, _ in tasks], [c for _, c in tasks])
    if found.total:
        assert found.score is not None
        assert found.n_eff is not None
        plain = found.score * (1 - found.score) * found.tasks / found.total
        assert found.n_eff == pytest.approx(min(max(plain, found.tasks), found.rows), rel=1e-9)


@given(runs, st.randoms(use_true_random=False))
def test_the_order_of_tasks_does_not_matter(tasks: list[tuple[int, int]], rng: random.Random) -> None:
    shuffled = rng.sample(tasks, len(tasks))
    one, other = (binary_components([n for n, _ in t], [c for _, c in t]) for t in (tasks, shuffled))
    assert one == other


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20), st.floats(0.5, 100), st.floats(-50, 50))
def test_components_follow_a_change_of_scale(passes: list[int], scale: float, shift: float) -> None:
    n, m = np.full(len(passes), 5), np.array(passes) / 5
    w = m * (1 - m) * 5 / 4
    plain, mapped = components(n, m, w), components(n, shift + scale * m, scale**2 * w)
    if plain.total:
        assert mapped.icc == pytest.approx(plain.icc, rel=1e-6, abs=1e-6)
        assert mapped.n_eff == pytest.approx(plain.n_eff, rel=1e-6)
        assert mapped.se_super == pytest.approx(scale * (plain.se_super or 0), rel=1e-6)


def test_between_variance_is_unbiased() -> None:
    rng = np.random.default_rng(3)
    true = rng.beta(0.225, 0.598, size=(4000, 30))
    passes = rng.binomial(3, true)
    found = [binary_components([3] * 30, c).between for c in passes]
    spread = 0.225 * 0.598 / (0.823**2 * 1.823)  # variance of Beta(.225, .598)
    assert np.mean([b for b in found if b is not None]) == pytest.approx(spread, abs=0.002)


@pytest.mark.parametrize(("n", "published"), [(2, 93.2), (3, 91.8), (5, 95.2)])
def test_fixed_task_error_covers_as_published(n: int, published: float) -> None:
    rng = np.random.default_rng(n)
    hits = 0
    for _ in range(2000):
        true = rng.beta(0.225, 0.598, size=60)
        found = binary_components([n] * 60, rng.binomial(n, true))
        interval = t_interval(found.score or 0.0, found.se_fixed or 0.0, math.inf)
        assert interval is not None
        hits += interval[0] <= true.mean() <= interval[1]
    assert hits / 20 == pytest.approx(published, abs=3.0)  # the published runs are 400: their standard error is 1.3


def test_a_million_tasks_vary_as_they_were_drawn() -> None:
    rng = np.random.default_rng(0)
    n = rng.integers(1, 6, size=1_000_000)
    c = rng.binomial(n, 0.4)
    found = binary_components(n, c)
    assert found.within == pytest.approx(0.24, abs=0.001)
