from __future__ import annotations

import itertools
import math
import statistics
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.stats import rates

if TYPE_CHECKING:
    import random

Tasks = list[tuple[int, int]]

UNEQUAL = [(4, 4), (2, 0), (3, 1), (1, 1)]  # 1111, 00, 100, 1

pairs = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
runs = st.lists(pairs, min_size=1, max_size=30)
scores = st.lists(st.floats(-100, 100, allow_subnormal=False), min_size=1, max_size=9)


def known(value: float | None) -> float:
    assert value is not None
    return value


@pytest.mark.parametrize(("k", "at", "hat"), [(1, 0.4, 0.4), (2, 0.7, 0.1), (3, 0.9, 0), (4, 1, 0), (5, 1, 0)])
def test_two_passes_in_five_rows(k: int, at: float, hat: float) -> None:
    assert rates.pass_at_k(5, 2, k) == pytest.approx(at, abs=1e-12)
    assert rates.pass_hat_k(5, 2, k) == pytest.approx(hat, abs=1e-12)


def test_six_passes_in_eight_rows_are_rarely_four_in_a_row() -> None:
    assert rates.pass_hat_k(8, 6, 4) == pytest.approx(0.2142857, abs=5e-8)


@pytest.mark.parametrize(
    ("k", "at", "hat"),
    [
        (1, 0.278146, 0.278146),
        (2, 0.369205, 0.187086),
        (3, 0.416887, 0.143709),
        (4, 0.447682, 0.117219),
        (5, 0.470199, 0.099338),
    ],
)
def test_known_run_has_its_published_pass_rates(
    cvdp: dict[tuple[int, int], int], k: int, at: float, hat: float
) -> None:
    assert rates.mean_pass_at_k(cvdp, k) == pytest.approx((at, 302), abs=1e-6)
    assert rates.mean_pass_hat_k(cvdp, k) == pytest.approx((hat, 302), abs=1e-6)


def test_known_run_has_its_published_consistency_and_retry_value(cvdp: dict[tuple[int, int], int]) -> None:
    assert rates.consistency(cvdp) == pytest.approx(0.099338, abs=1e-6)
    assert rates.any_at_n(cvdp) == pytest.approx(0.470199, abs=1e-6)
    assert rates.retry_value(cvdp, 5) == pytest.approx((0.192053, 302), abs=1e-6)


def test_unequal_repeats_tell_macro_from_micro() -> None:
    assert rates.macro(UNEQUAL) == pytest.approx(0.583333, abs=1e-6)
    assert rates.micro(UNEQUAL) == pytest.approx(0.6, abs=1e-12)


def test_pass_at_two_rests_on_the_tasks_with_two_rows() -> None:
    assert [rates.pass_at_k(n, c, 2) for n, c in UNEQUAL] == [1.0, 0.0, pytest.approx(2 / 3), None]
    assert rates.mean_pass_at_k(UNEQUAL, 2) == pytest.approx((0.555556, 3), abs=1e-6)


def test_missing_rows_widen_the_score_to_bounds() -> None:
    assert rates.coverage(UNEQUAL, 4) == 0.625
    assert rates.zero_fill(UNEQUAL, 4) == 0.375
    assert rates.bounds(UNEQUAL, 4) == (0.375, 0.75)


def test_retry_value_compares_one_try_and_many_on_the_same_tasks() -> None:
    # over all tasks pass@1 is 1/2: the difference would be 1/2 - 1/2, though two tries do help the second task
    tasks = [(1, 1), (2, 1), (2, 0)]
    assert rates.retry_value(tasks, 2) == (0.25, 2)
    assert rates.retry_value(tasks, 3) == (None, 0)


def test_flakiness_is_the_chance_that_two_rows_disagree() -> None:
    rows = [[1, 1, 0, 0, 0], [1, 0], [1, 1, 1], [1]]
    disagree = [statistics.mean(a != b for a, b in itertools.combinations(task, 2)) for task in rows[:3]]
    assert rates.flakiness([(len(r), sum(r)) for r in rows]) == pytest.approx(statistics.mean(disagree), abs=1e-12)


def test_best_of_k_is_the_mean_best_over_all_subsets() -> None:
    values = [0.3, -2.0, 7.5, 0.3, 1.25]
    for k in range(1, 6):
        brute = statistics.mean(max(subset) for subset in itertools.combinations(values, k))
        assert rates.best_of_k(values, k) == pytest.approx(brute, abs=1e-12)
    assert rates.best_of_k(values, 6) is None


def test_best_of_equal_scores_is_that_score_to_the_last_digit() -> None:
    assert {rates.best_of_k([0.1] * n, k) for n in range(1, 12) for k in range(1, n + 1)} == {0.1}


def test_mean_best_of_k_leaves_short_tasks_out_and_says_so() -> None:
    assert rates.mean_best_of_k([[0.0, 1.0], [0.5, 0.5], [0.9]], 2) == (0.75, 2)


def test_nothing_to_count_is_none_not_zero() -> None:
    empty: Tasks = []
    assert rates.mean_pass_at_k(empty, 1) == (None, 0)
    assert rates.mean_pass_hat_k([(2, 1)], 3) == (None, 0)
    assert rates.mean_best_of_k([], 1) == (None, 0)
    for metric in (rates.any_at_n, rates.consistency, rates.macro, rates.micro):
        assert metric(empty) is None
        assert metric([(0, 0)]) is None
    assert rates.flakiness([(1, 1), (1, 0)]) is None
    assert rates.coverage([(0, 0)], 0) is None
    assert rates.zero_fill([(0, 0)], 0) is None
    assert rates.bounds(empty, 4) is None


def test_tasks_without_rows_do_not_weigh_in_the_score_but_in_the_bounds() -> None:
    tasks = [(2, 2), (0, 0)]
    assert rates.macro(tasks) == 1.0
    assert rates.consistency(tasks) == 1.0
    assert rates.zero_fill(tasks, 2) == 0.5
    assert rates.bounds(tasks, 2) == (0.5, 1.0)


def test_rows_in_excess_are_duplicates_not_coverage() -> None:
    tasks = [(3, 3), (1, 0)]
    assert rates.coverage(tasks, [2, 2]) == 0.75
    assert rates.bounds(tasks, [2, 2]) == (0.5, 0.75)
    assert rates.zero_fill(tasks, [2, 2]) == 0.5


def test_each_task_may_expect_its_own_number_of_rows() -> None:
    assert rates.bounds([(1, 1), (1, 1)], [1, 4]) == (0.625, 1.0)
    with pytest.raises(ValueError):
        rates.bounds([(1, 1), (1, 1)], [1])


def test_scores_on_another_scale_have_no_bounds() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        rates.bounds([(2, 150.0)], 4)


@pytest.mark.parametrize(("n", "c", "k"), [(5, 6, 1), (5, -1, 1), (5, 2, 0)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError):
        rates.pass_at_k(n, c, k)
    with pytest.raises(ValueError):
        rates.pass_hat_k(n, c, k)


@pytest.mark.parametrize(
    ("n", "c", "k"), [(1001, 3, 7), (1500, 700, 2), (1200, 40, 900), (2000, 1999, 5), (1001, 0, 9)]
)
def test_products_take_over_where_integers_grow_long(n: int, c: int, k: int) -> None:
    ways = math.comb(n, k)
    assert rates.pass_at_k(n, c, k) == pytest.approx(1 - math.comb(n - c, k) / ways, rel=1e-11)
    assert rates.pass_hat_k(n, c, k) == pytest.approx(math.comb(c, k) / ways, rel=1e-11, abs=1e-300)
    values = [0.0] * (n - c) + [1.0] * c
    assert rates.best_of_k(values, k) == pytest.approx(known(rates.pass_at_k(n, c, k)), rel=1e-10)


@given(pairs)
def test_more_tries_never_hurt_and_more_demands_never_help(task: tuple[int, int]) -> None:
    n, c = task
    at = [known(rates.pass_at_k(n, c, k)) for k in range(1, n + 1)]
    hat = [known(rates.pass_hat_k(n, c, k)) for k in range(1, n + 1)]
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert at[0] == hat[0] == c / n
    assert at[-1] == float(c > 0)
    assert hat[-1] == float(c == n)


@given(pairs, st.integers(1, 12))
def test_passing_all_mirrors_failing_any(task: tuple[int, int], k: int) -> None:
    n, c = task
    hat, at = rates.pass_hat_k(n, c, k), rates.pass_at_k(n, n - c, k)
    assert (hat is None) == (at is None) == (n < k)
    if at is not None:
        assert hat == pytest.approx(1 - at, abs=1e-12)


@given(pairs, st.integers(1, 12))
def test_best_of_k_is_pass_at_k_where_scores_are_binary(task: tuple[int, int], k: int) -> None:
    n, c = task
    best = rates.best_of_k([1.0] * c + [0.0] * (n - c), k)
    assert best == (None if n < k else pytest.approx(known(rates.pass_at_k(n, c, k)), abs=1e-12))


@given(scores)
def test_best_of_k_runs_from_the_mean_to_the_maximum(values: list[float]) -> None:
    best = [known(rates.best_of_k(values, k)) for k in range(1, len(values) + 1)]
    assert best[0] == pytest.approx(statistics.fmean(values), rel=1e-9, abs=1e-9)
    assert best[-1] == max(values)
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(best))


@given(runs, st.integers(1, 5), st.randoms(use_true_random=False))
def test_no_rate_depends_on_the_order_of_the_tasks(tasks: Tasks, k: int, rng: random.Random) -> None:
    shuffled = rng.sample(tasks, len(tasks))
    for metric in (rates.mean_pass_at_k, rates.mean_pass_hat_k, rates.retry_value):
        assert metric(tasks, k) == metric(shuffled, k)
    for score in (rates.macro, rates.micro, rates.any_at_n, rates.consistency, rates.flakiness):
        assert score(tasks) == score(shuffled)
    assert rates.bounds(tasks, 6) == rates.bounds(shuffled, 6)


@given(st.lists(st.tuples(st.integers(1, 4), st.floats(-100, 100)), min_size=1), st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_the_tasks(tasks: list[tuple[int, float]], rng: random.Random) -> None:
    shuffled = rng.sample(tasks, len(tasks))
    assert rates.macro(tasks) == rates.macro(shuffled)
    assert rates.micro(tasks) == rates.micro(shuffled)


@given(st.lists(scores, min_size=1, max_size=6), st.integers(1, 4), st.randoms(use_true_random=False))
def test_best_of_k_does_not_depend_on_the_order_of_rows_or_tasks(
    tasks: list[list[float]], k: int, rng: random.Random
) -> None:
    shuffled = [rng.sample(values, len(values)) for values in rng.sample(tasks, len(tasks))]
    assert rates.mean_best_of_k(tasks, k) == rates.mean_best_of_k(shuffled, k)


@given(runs, st.integers(1, 5))
def test_a_histogram_of_tasks_counts_as_the_tasks_themselves(tasks: Tasks, k: int) -> None:
    histogram = {pair: tasks.count(pair) for pair in tasks}
    assert rates.mean_pass_at_k(histogram, k) == rates.mean_pass_at_k(tasks, k)
    assert rates.micro(histogram) == rates.micro(tasks)
    assert rates.macro(tasks) == pytest.approx(statistics.fmean(c / n for n, c in tasks), abs=1e-12)
    assert rates.macro(histogram) == rates.macro(tasks) == rates.mean_pass_at_k(tasks, 1)[0]


@given(runs, st.data())
def test_bounds_hold_the_score_of_the_rows_there_are(tasks: Tasks, data: st.DataObject) -> None:
    expected = [data.draw(st.integers(0, 15)) for _ in tasks]
    bounds = rates.bounds(tasks, expected)
    assert bounds is not None
    low, high = bounds
    assert 0 <= low <= known(rates.macro(tasks)) + 1e-12
    assert known(rates.macro(tasks)) - 1e-12 <= high <= 1
    assert low == rates.zero_fill(tasks, expected)
    if all(k <= n for (n, _), k in zip(tasks, expected, strict=True)):
        assert low == pytest.approx(high, abs=1e-12)
