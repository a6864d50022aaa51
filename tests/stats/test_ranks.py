from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.examples import examples

from blade.stats.paired import paired_t
from blade.stats.ranks import change_point, mann_kendall, rank_runs

Matrix = list[list[float]]
scores = st.lists(st.integers(0, 6).map(lambda k: k / 6), min_size=3, max_size=6)


def simulated(tasks: int, shifts: list[float], seed: int, n: int = 5) -> Matrix:
    generator = np.random.default_rng(seed)
    rates = generator.beta(0.5, 0.7, tasks)[:, None]
    found: Matrix = (generator.binomial(n, np.clip(rates + shifts, 0.0, 1.0)) / n).tolist()
    return found


def test_two_alike_and_one_worse_rank_as_in_the_published_example() -> None:
    found = rank_runs(simulated(100, [0.0, 0.0, -0.15], seed=1), seed=0)
    assert found is not None
    assert found.critical == pytest.approx(2.371, abs=0.1)  # that of three pairs and 100 tasks
    assert found.ranks == ((1, 2), (1, 2), (3, 3))
    assert [pair.significant for pair in found.pairs] == [False, True, True]
    assert found.best[2] == 0.0
    assert sum(found.best) == pytest.approx(1.0)


def test_differences_are_paired_t_with_a_wider_interval() -> None:
    m = simulated(60, [0.0, 0.1, 0.05, 0.0], seed=2)
    found = rank_runs(m, seed=0)
    assert found is not None
    assert len(found.pairs) == 6
    assert found.critical > 2.2
    for pair in found.pairs:
        alone = paired_t([row[pair.second] - row[pair.first] for row in m])
        assert alone is not None
        assert (pair.delta, pair.se) == pytest.approx((alone.delta, alone.se))
        assert pair.t == pytest.approx(alone.t)
        assert pair.interval == pytest.approx(
            (pair.delta - found.critical * pair.se, pair.delta + found.critical * pair.se)
        )
        assert pair.significant == (not pair.interval[0] <= 0 <= pair.interval[1])


def test_equal_runs_are_seldom_told_apart() -> None:
    alarms = 0
    for seed in range(100):
        found = rank_runs(simulated(40, [0.0] * 4, seed), seed=seed)
        assert found is not None
        alarms += any(pair.significant for pair in found.pairs)
    assert alarms / 100 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)


def test_the_order_of_tasks_and_runs_does_not_matter() -> None:
    m = np.array(simulated(40, [0.0, 0.05, -0.1, 0.0], seed=4))
    found, other = rank_runs(m.tolist(), seed=0), rank_runs(m[::-1, [2, 0, 3, 1]].tolist(), seed=0)
    assert found is not None
    assert other is not None
    assert found.critical == other.critical
    assert tuple(found.ranks[r] for r in (2, 0, 3, 1)) == other.ranks
    assert tuple(found.best[r] for r in (2, 0, 3, 1)) == other.best
    assert tuple(found.scores[r] for r in (2, 0, 3, 1)) == other.scores


def test_identical_runs_share_everything() -> None:
    found = rank_runs([[x, x] for x in (0.0, 0.2, 1.0)], seed=0)
    assert found is not None
    assert found.ranks == ((1, 2), (1, 2))
    assert found.best == (0.5, 0.5)
    assert (found.pairs[0].t, found.pairs[0].interval, found.pairs[0].significant) == (None, (0.0, 0.0), False)


def test_one_and_the_same_difference_everywhere_needs_six_tasks() -> None:
    for tasks, ranks in ((5, ((1, 2), (1, 2))), (6, ((2, 2), (1, 1)))):
        found = rank_runs([[0.0, 1.0]] * tasks, seed=0)
        assert found is not None
        assert found.ranks == ranks


def test_odd_matrices_have_answers() -> None:
    assert rank_runs([], seed=0) is None
    assert rank_runs([[0.5, 0.7]], seed=0) is None
    assert rank_runs([[], []], seed=0) is None
    alone = rank_runs([[0.5], [0.7]], seed=0)
    assert alone is not None
    assert (alone.ranks, alone.best, alone.pairs) == (((1, 1),), (1.0,), ())
    two = rank_runs([[0.0, 1.0], [1.0, 1.0]], seed=0)
    assert two is not None
    assert math.isfinite(two.critical)
    with pytest.raises(ValueError):
        rank_runs([[0.5, math.nan], [0.1, 0.2]], seed=0)


def test_many_tasks_and_runs_take_a_moment() -> None:
    m = np.random.default_rng(0).random((5000, 6)).tolist()
    start = time.process_time()
    rank_runs(m, seed=0)
    assert time.process_time() - start < 10


def test_a_steady_rise_by_hand() -> None:
    found = mann_kendall([0.1, 0.2, 0.3, 0.4, 0.5])
    assert found is not None
    assert (found.s, found.tau) == (10, 1.0)
    assert found.p == pytest.approx(2 / 120)
    three = mann_kendall([0.1, 0.2, 0.3])
    assert three is not None
    assert three.p == pytest.approx(1 / 3)


@given(scores)
def test_the_trend_is_that_of_kendall(values: list[float]) -> None:
    found = mann_kendall(values)
    assert found is not None
    if len(set(values)) == len(values):
        theirs = stats.kendalltau(range(len(values)), values, method="exact")
        assert found.tau == pytest.approx(theirs.statistic)
        assert found.p == pytest.approx(theirs.pvalue)
    back = mann_kendall(values[::-1])
    assert back is not None
    assert (back.s, back.p) == (-found.s, found.p)


def test_many_checkpoints_use_the_normal_law() -> None:
    rising, flat = mann_kendall(list(range(12))), mann_kendall([0.5] * 12)
    assert rising is not None
    assert flat is not None
    assert rising.p == pytest.approx(2 * stats.norm.sf(65 / math.sqrt(12 * 11 * 29 / 18)))
    assert (flat.s, flat.p) == (0, 1.0)


def test_a_trend_needs_three_checkpoints() -> None:
    assert mann_kendall([]) is None
    assert mann_kendall([0.1, 0.2]) is None
    flat = mann_kendall([0.5, 0.5, 0.5])
    assert flat is not None
    assert flat.p == 1.0


def test_a_break_is_found_where_it_is() -> None:
    found = change_point(simulated(80, [0.0, 0.0, 0.0, 0.2, 0.2, 0.2], seed=1), seed=0)
    assert found is not None
    assert found.split == 3
    assert found.delta == pytest.approx(0.18, abs=0.05)
    assert found.t is not None
    assert found.t > 5
    assert found.p == pytest.approx(2 * 36 / 720)  # all orders that keep the two groups apart


def test_the_break_has_the_paired_t_of_its_two_sides() -> None:
    m = simulated(30, [0.0, 0.1, 0.0, -0.2], seed=5)
    found = change_point(m, seed=0)
    assert found is not None
    sides = [np.mean(row[found.split :]) - np.mean(row[: found.split]) for row in m]
    expected = paired_t([float(d) for d in sides])
    assert expected is not None
    assert (found.delta, found.t) == pytest.approx((expected.delta, expected.t))


@examples(30)
@given(st.integers(0, 10_000), st.integers(3, 5))
def test_a_break_read_backwards_is_mirrored(seed: int, runs: int) -> None:
    m = np.random.default_rng(seed).random((12, runs))
    there, back = change_point(m.tolist(), seed=0), change_point(m[::-1, ::-1].tolist(), seed=0)
    assert there is not None
    assert back is not None
    assert back.split == runs - there.split
    assert back.delta == pytest.approx(-there.delta)
    assert back.p == there.p


def test_many_runs_have_their_orders_drawn() -> None:
    found = change_point(simulated(60, [0.0] * 5 + [0.3] * 5, seed=2), seed=0)
    assert found is not None
    assert found.split == 5
    assert 1 / 2001 <= found.p < 0.05
    assert found == change_point(simulated(60, [0.0] * 5 + [0.3] * 5, seed=2), seed=0)


def test_breaks_in_odd_matrices() -> None:
    assert change_point([], seed=0) is None
    assert change_point([[0.1, 0.2], [0.3, 0.4]], seed=0) is None
    assert change_point([[0.1, 0.2, 0.3]], seed=0) is None
    flat = change_point([[0.5, 0.5, 0.5]] * 4, seed=0)
    assert flat is not None
    assert (flat.delta, flat.t, flat.p) == (0.0, 0.0, 1.0)
    same = change_point([[0.0, 0.0, 1.0]] * 4, seed=0)
    assert same is not None
    assert (same.delta > 0, same.t) == (True, None)
