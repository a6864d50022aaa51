"""The source's formulas, one by one, against numbers worked out by hand or by brute force."""

from __future__ import annotations

import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.counting.recompute import ScoredRow, baseline, check_aggregate, passk
from blade.counting.recompute.compare import agree

BITS = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=6)
FLOATS = st.integers(-(10**9), 10**9).map(lambda thousandths: thousandths / 1000)


def row(**numbers: float) -> ScoredRow:
    return ScoredRow(None, 0, 0, 1, numbers.get("reward"), numbers, {}, {})


def scores(*values: float | None) -> passk.Scores:
    return list(values)


@given(st.lists(BITS, min_size=1, max_size=4), st.integers(1, 6))
def test_pass_at_k_is_the_share_of_draws_with_a_pass(tasks: list[list[float]], k: int) -> None:
    shares = [
        statistics.fmean(max(draw) for draw in itertools.combinations(task, k)) for task in tasks if len(task) >= k
    ]
    found = passk.pass_at([scores(*task) for task in tasks], k)
    assert found == (pytest.approx(100 * statistics.fmean(shares)) if shares else None)


def test_pass_at_k_of_other_scores_is_the_best_of_the_first_k() -> None:
    task = scores(0.2, 0.1, 0.9)
    assert passk.pass_at([task], 1) == pytest.approx(20)
    assert passk.pass_at([task], 2) == pytest.approx(20)
    assert passk.pass_at([task], 3) == pytest.approx(90)


def test_binary_is_decided_task_by_task() -> None:
    assert passk.pass_at([scores(0.5, 1), scores(0, 1)], 1) == pytest.approx(50)
    assert passk.pass_at([scores(0.5, 1), scores(0, 1)], 2) == pytest.approx(100)


def test_a_task_with_fewer_than_k_rollouts_leaves_pass_at_k_and_stays_in_the_average() -> None:
    tasks = [scores(0, 0), scores(1)]
    assert passk.pass_at(tasks, 2) == 0
    assert passk.average_of(tasks, 2) == pytest.approx(50)
    assert passk.pass_at(tasks, 3) is None


def test_the_average_takes_the_first_k_and_weighs_tasks_alike() -> None:
    tasks = [scores(1, 0, 0), scores(0, 1)]
    assert passk.average_of(tasks, 1) == pytest.approx(50)
    assert passk.average_of(tasks, 3) == pytest.approx(100 * (1 / 3 + 1 / 2) / 2)


def test_a_rollout_without_the_score_keeps_its_place() -> None:
    tasks = [scores(None, 1), scores(0, 1)]
    assert passk.average_of(tasks, 1) == 0
    assert passk.pass_at(tasks, 1) == pytest.approx(75)
    assert passk.pass_at(tasks, 2) == pytest.approx(100)
    assert passk.run_means(tasks) == [0, 100]


def test_the_majority_averages_ties_and_scores_silence_as_zero() -> None:
    tied = [scores(1, 0)], [["A", "B"]]
    assert passk.majority_at(*tied, 2) == pytest.approx(50)
    assert passk.majority_at(*tied, 1) == pytest.approx(100)
    assert passk.majority_at([scores(1, 1)], [[None, None]], 2) == 0
    assert passk.majority_at([scores(0, 1, 1)], [["B", None, "A"]], 2) == 0


def test_one_answer_scored_two_ways_splits_its_vote() -> None:
    task, answers = scores(1, 0, 0, 0), ["A", "A", "B", "B"]
    assert passk.majority_at([task], [answers], 3) == pytest.approx(100 / 3)
    assert passk.majority_at([task], [answers], 4) == 0


def test_run_means_go_by_place_and_their_spread_divides_by_k_minus_one() -> None:
    tasks = [scores(1, 0, 1), scores(1, 1)]
    means = passk.run_means(tasks)
    assert means == [100, 50, 100]
    assert passk.spread_of_runs(means, 2) == pytest.approx((math.sqrt(1250), 25))
    assert passk.spread_of_runs(means, 1) is None
    assert passk.spread_of_runs(means, 9) == passk.spread_of_runs(means, 3)


def test_the_spread_within_tasks_keeps_the_unit_and_skips_single_scores() -> None:
    assert passk.spread_within_tasks([scores(0, 1), scores(1)], 2) == pytest.approx(math.sqrt(0.5))
    assert passk.spread_within_tasks([scores(1)], 2) is None


@given(st.lists(FLOATS, min_size=2, max_size=30))
def test_the_baseline_is_that_of_the_statistics_module(column: list[float]) -> None:
    found = baseline.describe([row(reward=value) for value in column]).values
    scale = max(map(abs, column))
    expected = {
        "mean/reward": statistics.fmean(column),
        "max/reward": max(column),
        "min/reward": min(column),
        "median/reward": statistics.median(column),
        "std/reward": statistics.stdev(column),
    }
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key], rel=1e-9, abs=1e-9 * scale) for key in expected)


def test_each_column_has_its_own_denominator() -> None:
    found = baseline.describe([row(reward=1, wer=3), row(reward=0), row(reward=0, wer=math.nan)]).values
    assert found["mean/reward"] == pytest.approx(1 / 3)
    assert found["mean/wer"] == 3
    assert "std/wer" not in found


def test_the_deviation_is_zero_only_where_no_column_has_one() -> None:
    assert baseline.describe([row(reward=1, wer=3)]).values["std/wer"] == 0
    halves = baseline.describe([row(reward=1), row(wer=3)]).values
    assert not [key for key in halves if key.startswith("std/")]
    assert baseline.describe([]).values == {}


def test_infinite_and_huge_numbers_do_not_stop_the_count() -> None:
    found = baseline.describe([row(reward=math.inf), row(reward=-math.inf), row(reward=1e308)]).values
    assert found["max/reward"] == math.inf
    assert "mean/reward" not in found
    assert found["std/reward"] == 0, "no column has a deviation, so the source writes 0"
    assert baseline.describe([row(reward=1e308), row(reward=1e308)]).values["mean/reward"] == math.inf


def test_agreement_is_relative_with_the_rounding_of_the_column() -> None:
    assert agree(1e-7, 1e-7 * (1 + 5e-10), 0.0, 1e-9)
    assert not agree(1e-7, 1.1e-7, 1.0, 1e-9)
    assert agree(1.7e-13, 0.0, 10.0, 1e-9)
    assert agree(None, math.inf, 1.0, 1e-9)
    assert not agree(None, 0.0, 1.0, 1e-9)
    assert not agree(math.nan, 0.0, 1.0, 1e-9)


def _kind(kind: str, reward: float) -> ScoredRow:
    return ScoredRow(None, 0, 0, 1, reward, {"reward": reward}, {}, {"output_type": kind, "topic": "jars"})


def _slice_mean(key: str, stored: float) -> tuple[int, int, tuple[str, ...]]:
    rows = [_kind("CSV", 1.0), _kind("CSV", 0.0), _kind("JSON", 1.0)]
    entry = {"agent_metrics": {"mean/reward": 2 / 3, key: stored}, "key_metrics": {}, "group_level_metrics": []}
    found = check_aggregate([entry], rows)
    missed = sum(one.key == key for one in found.disagreements)
    return int(not missed and key not in found.not_recomputed), missed, found.not_recomputed


@pytest.mark.parametrize("key", ["mean/reward_output_CSV", "mean/reward_CSV", "mean/reward_output_type_CSV"])
def test_a_mean_over_a_slice_is_held_against_its_rows(key: str) -> None:
    assert _slice_mean(key, 0.5) == (1, 0, ())
    assert _slice_mean(key, 0.9) == (0, 1, ())


def test_a_mean_that_names_no_slice_of_the_rows_is_left() -> None:
    assert _slice_mean("mean/reward_output_XML", 0.5) == (0, 0, ("mean/reward_output_XML",))
