from __future__ import annotations

import math

import numpy as np
import pytest

from blade.stats.paired import paired_t
from blade.stats.ranks import rank_runs

Matrix = list[list[float]]


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


def test_six_equal_runs_of_many_tasks_share_their_ranks() -> None:
    m = np.random.default_rng(0).random((5000, 6)).tolist()
    ranking = rank_runs(m, seed=0)
    assert ranking is not None
    assert ranking.ranks == ((1, 6),) * 6
