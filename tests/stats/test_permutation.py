"""The permutation tests of `paired`: exact laws against enumeration, draws against exact laws."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import fft, stats
from tests.examples import examples

from blade.stats.exact_sums import Law, fast_length, upper_tail, whole_steps
from blade.stats.paired import churn, label_permutation
from blade.stats.permutation import common_pairs, drawn_p, unordered

if TYPE_CHECKING:
    import random

Run = list[tuple[float, ...]]
passes = st.sampled_from([0.0, 1.0])
fifths = st.integers(0, 5).map(lambda k: k / 5)
anything = st.floats(0, 1)


def pairs_of(score: st.SearchStrategy[float], most: int = 4) -> st.SearchStrategy[list[tuple[tuple[float, ...], ...]]]:
    rows = st.lists(score, min_size=1, max_size=3).map(tuple)
    return st.lists(st.tuples(rows, rows), min_size=1, max_size=most)


def two_runs(score: st.SearchStrategy[float], most: int = 4) -> st.SearchStrategy[tuple[Run, Run]]:
    return pairs_of(score, most).map(lambda pairs: ([pair[0] for pair in pairs], [pair[1] for pair in pairs]))


def known_runs() -> tuple[Run, Run]:
    a = "1111 1110 1010 0000 1111 0010 1101 0000"
    b = "1111 1010 0000 0100 1111 0000 0000 0000"
    first, second = ([tuple(float(y) for y in task) for task in run.split()] for run in (a, b))
    return first, second


def simulated(tasks: int, n: int, seed: int, factor: float = 1.0) -> tuple[Run, Run]:
    generator = np.random.default_rng(seed)
    rates = generator.beta(0.225, 0.598, tasks)[:, None]
    drawn = (generator.random((tasks, n)) < rates, generator.random((tasks, n)) < rates * factor)
    first, second = ([tuple(row) for row in run.astype(float).tolist()] for run in drawn)
    return first, second


def enumerated(a: Run, b: Run) -> tuple[float, float]:
    """Both p-values, by going through every deal."""
    deals = []
    for x, y in zip(a, b, strict=True):
        pool = x + y
        changes = []
        for chosen in combinations(range(len(pool)), len(y)):
            to_b = [pool[i] for i in chosen]
            to_a = [pool[i] for i in range(len(pool)) if i not in chosen]
            changes.append(sum(to_b) / len(to_b) - sum(to_a) / len(to_a))
        deals.append(changes)
    seen = [sum(y) / len(y) - sum(x) / len(x) for x, y in zip(a, b, strict=True)]
    change, churned, total = 0, 0, 0
    for deal in product(*deals):
        total += 1
        change += abs(sum(deal)) >= abs(sum(seen)) - 1e-9
        churned += sum(d * d for d in deal) >= sum(d * d for d in seen) - 1e-9
    return change / total, churned / total


def test_known_runs_have_their_published_p_value() -> None:
    p, method = label_permutation(*known_runs(), seed=0)
    assert method == "exact"
    assert p == pytest.approx(0.070517, abs=1e-6)


def test_known_runs_have_their_published_churn() -> None:
    q, expected, p = churn(*known_runs(), seed=0)
    assert q == pytest.approx(1.0, abs=1e-12)
    assert expected == pytest.approx(0.5, abs=1e-12)  # published as .5004, from draws
    assert p == pytest.approx(0.126, abs=0.002)


def test_sign_flips_over_task_means_are_the_case_of_one_row() -> None:
    means = [[(sum(x) / len(x),) for x in run] for run in known_runs()]
    assert label_permutation(means[0], means[1], seed=0)[0] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "published", "within"),
    [(3, 0.1, 1e-12), (4, 0.0286, 5e-5), (5, 0.00794, 5e-6), (8, 1.55e-4, 5e-7), (10, 1.08e-5, 5e-8)],
)
def test_one_task_that_turns_around_has_the_p_value_of_fisher(n: int, published: float, within: float) -> None:
    p, _ = label_permutation([(0.0,) * n], [(1.0,) * n], seed=0)
    assert p == pytest.approx(published, abs=within)
    assert p == pytest.approx(stats.fisher_exact(np.array([[n, 0], [0, n]]))[1], rel=1e-9)


@examples(25)
@given(two_runs(passes))
def test_passes_agree_with_every_deal(runs: tuple[Run, Run]) -> None:
    change, churned = enumerated(*runs)
    p, method = label_permutation(*runs, seed=0)
    assert p == pytest.approx(change, abs=1e-12)
    assert method == "exact"
    assert churn(*runs, seed=0)[2] == pytest.approx(churned, abs=1e-12)


@examples(25)
@given(two_runs(fifths, most=3))
def test_graded_scores_agree_with_every_deal(runs: tuple[Run, Run]) -> None:
    change, churned = enumerated(*runs)
    p, method = label_permutation(*runs, seed=0)
    assert p == pytest.approx(change, abs=1e-12)
    assert method == "exact"
    assert churn(*runs, seed=0)[2] == pytest.approx(churned, abs=1e-12)


@examples(20)
@given(two_runs(st.one_of(passes, fifths), most=8), st.randoms())
def test_exact_results_know_neither_the_order_nor_which_run_is_which(
    runs: tuple[Run, Run], shuffle: random.Random
) -> None:
    same_everywhere(runs, shuffle)


@examples(10)
@given(two_runs(anything, most=8), st.randoms())
def test_drawn_results_know_neither_the_order_nor_which_run_is_which(
    runs: tuple[Run, Run], shuffle: random.Random
) -> None:
    same_everywhere(runs, shuffle)


def same_everywhere(runs: tuple[Run, Run], shuffle: random.Random) -> None:
    a, b = runs
    order = list(range(len(a)))
    shuffle.shuffle(order)
    other_a, other_b = ([tuple(shuffle.sample(run[i], len(run[i]))) for i in order] for run in (a, b))
    found = label_permutation(a, b, seed=3), churn(a, b, seed=3)
    assert found == (label_permutation(other_a, other_b, seed=3), churn(other_a, other_b, seed=3))
    assert found == (label_permutation(b, a, seed=3), churn(b, a, seed=3))
    assert found == (label_permutation(other_b, other_a, seed=3), churn(other_b, other_a, seed=3))


@pytest.mark.parametrize(("tasks", "n"), [(8, 4), (40, 2), (5, 12)])
def test_draws_agree_with_the_exact_law(tasks: int, n: int) -> None:
    a, b = simulated(tasks, n, seed=5)
    change, churned = drawn_p(unordered(common_pairs(a, b)), seed=1)
    assert change == pytest.approx(label_permutation(a, b, seed=0)[0], abs=0.02)
    assert churned == pytest.approx(churn(a, b, seed=0)[2], abs=0.02)


def test_scores_on_no_lattice_are_drawn() -> None:
    generator = np.random.default_rng(0)
    a, b = ([tuple(row) for row in generator.random((20, 3)).tolist()] for _ in range(2))
    p, method = label_permutation(a, b, seed=0)
    assert method == "drawn"
    assert p is not None
    assert 1 / 10_001 <= p <= 1
    assert label_permutation(a, b, seed=0) == (p, method)
    higher = [tuple(y + 5 for y in row) for row in b]
    assert label_permutation(a, higher, seed=0)[0] == 1 / 10_001


def test_very_small_p_values_keep_their_digits() -> None:
    assert label_permutation([(0.0,)] * 400, [(1.0,)] * 400, seed=0)[0] == pytest.approx(2.0**-399, rel=1e-9)
    p, _ = label_permutation([(0.0,)] * 390 + [(1.0,)] * 10, [(1.0,)] * 390 + [(0.0,)] * 10, seed=0)
    assert p == pytest.approx(2 * sum(math.comb(400, k) for k in range(11)) / 2**400, rel=1e-9)


def test_repeats_may_differ_between_tasks_and_runs() -> None:
    a = [(1.0, 1.0, 0.0), (1.0,), (0.0, 1.0, 1.0, 1.0)]
    b = [(0.0,), (0.0, 0.0), (0.0, 0.0, 1.0)]
    assert label_permutation(a, b, seed=0)[0] == pytest.approx(enumerated(a, b)[0], abs=1e-12)


def test_a_shift_and_a_scale_of_the_scores_change_nothing() -> None:
    a, b = known_runs()
    percent = [[tuple(100 * y - 50 for y in task) for task in run] for run in (a, b)]
    assert label_permutation(percent[0], percent[1], seed=0) == label_permutation(a, b, seed=0)


def test_nothing_to_compare_has_no_p_value() -> None:
    assert label_permutation([], [], seed=0) == (None, "exact")
    assert churn([], [], seed=0) == (0.0, 0.0, None)
    assert label_permutation([(1.0,)], [()], seed=0) == (None, "exact")
    assert churn([()], [()], seed=0)[2] is None


def test_tasks_missing_in_one_run_are_left_out() -> None:
    a, b = known_runs()
    assert label_permutation([*a, (1.0,), ()], [*b, (), (0.0,)], seed=0) == label_permutation(a, b, seed=0)


def test_no_change_has_p_1() -> None:
    same: Run = [(1.0, 0.0), (1.0, 1.0), (0.3, 0.3)]
    assert label_permutation(same, same, seed=0) == (1.0, "exact")
    assert churn(same, same, seed=0)[2] == 1.0
    odd = [(math.pi, math.e)] * 3
    assert label_permutation(odd, odd, seed=0) == (1.0, "drawn")
    assert label_permutation([(1.0,)], [(1.0,)], seed=0) == (1.0, "exact")


def test_unequal_lengths_and_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError):
        label_permutation([(1.0,)], [], seed=0)
    with pytest.raises(ValueError):
        label_permutation([(1.0,)], [(math.nan,)], seed=0)


def test_without_a_change_one_in_twenty_is_called_one() -> None:
    found = [simulated(30, 3, seed=seed) for seed in range(200)]
    rejected = sum((label_permutation(*runs, seed=0)[0] or 0) < 0.05 for runs in found) / 200
    churned = sum((churn(*runs, seed=0)[2] or 0) < 0.05 for runs in found) / 200
    assert 0.01 <= rejected <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    assert 0.01 <= churned <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


def test_churn_sees_gains_and_losses_that_cancel_out() -> None:
    generator = np.random.default_rng(0)
    rates = generator.beta(0.225, 0.598, 150)
    before, after = rates.copy(), rates.copy()
    before[:30], after[:30] = [0.2] * 15 + [0.9] * 15, [0.9] * 15 + [0.2] * 15
    a, b = ([tuple(row) for row in (generator.random((150, 5)) < p[:, None]).astype(float)] for p in (before, after))
    _, _, p = churn(a, b, seed=0)
    assert p is not None
    assert p < 1e-6


def test_ten_thousand_tasks_are_tested_exactly() -> None:
    runs = simulated(10_000, 16, seed=1, factor=0.97)
    p, method = label_permutation(*runs, seed=0)
    assert method == "exact"
    assert p is not None
    assert 0 < p < 1e-6


@given(st.lists(st.lists(st.integers(-6, 6), min_size=1, max_size=4, unique=True), min_size=1, max_size=4), st.data())
def test_tails_of_sums_agree_with_enumeration(supports: list[list[int]], data: st.DataObject) -> None:
    laws = [Law(np.array(s), np.full(len(s), 1 / len(s)), data.draw(st.integers(1, 2))) for s in supports]
    every = [law.values.tolist() for law in laws for _ in range(law.copies)]
    sums = Counter(sum(chosen) for chosen in product(*every))
    at = data.draw(st.integers(-50, 50))
    exact = sum(count for total, count in sums.items() if total >= at) / sums.total()
    assert upper_tail(laws, at) == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_sums_with_too_many_values_are_left_alone() -> None:
    assert upper_tail([Law(np.array([0, 1, 10**7]), np.full(3, 1 / 3), 1)], 5) is None
    assert upper_tail([Law(np.array([0, 10**7]), np.full(2, 1 / 2), 1)], 5) == pytest.approx(0.5)


def test_an_empty_sum_is_zero() -> None:
    assert upper_tail([], 0) == 1.0
    assert upper_tail([], 1) == 0.0


def test_scores_become_whole_steps() -> None:
    assert whole_steps([0.0, 1.0, 1.0]) == {0.0: 0, 1.0: 1}
    assert whole_steps([-1.0, 1.0]) == {-1.0: 0, 1.0: 1}
    assert whole_steps([0.1, 0.3, 0.7]) == {0.1: 0, 0.3: 1, 0.7: 3}
    assert whole_steps([1 / 3, 0.5]) == {1 / 3: 0, 0.5: 1}
    assert whole_steps([0.7]) == {0.7: 0}
    assert whole_steps([math.pi, 0.0]) is None
    assert whole_steps([1e9, 0.0]) is None
    assert whole_steps([]) is None


@given(st.integers(1, 10**6))
def test_lengths_of_transforms_are_the_least_fast_ones(length: int) -> None:
    assert fast_length(length) == fft.next_fast_len(length, real=True)
