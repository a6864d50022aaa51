from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.stats.health import (
    Vote,
    flakiness,
    item_rest,
    order_trend,
    saturation,
    suspect_gold,
    top_wrong_share,
    zero_variance_tasks,
)

KNOWN_RESPONSES = [[int(cell) for cell in row] for row in ["1100", "1110", "1000", "1111", "0101"]]


def votes(*accuracies: float) -> list[Vote]:
    shares = [(1.0, 0.0), (1.0, 0.0), (0.8, 0.2)]
    return [Vote(accuracy, wrong, gold) for accuracy, (wrong, gold) in zip(accuracies, shares, strict=True)]


def test_good_models_that_agree_against_the_gold_answer_make_it_suspect() -> None:
    found = suspect_gold(votes(0.8, 0.7, 0.6))
    assert found is not None
    assert found.llr == pytest.approx(5.6072, abs=5e-5)
    assert found.posterior == pytest.approx(0.8475, abs=5e-5)
    assert found.flagged


def test_weak_models_do_not() -> None:
    found = suspect_gold(votes(0.3, 0.3, 0.2))
    assert found is not None
    assert found.llr == pytest.approx(0.604, abs=5e-4)
    assert not found.flagged


def test_siblings_share_one_vote() -> None:
    alone = suspect_gold([Vote(0.8, 1.0, 0.0)])
    triplets = suspect_gold([Vote(0.8, 1.0, 0.0, family=3)] * 3)
    assert alone is not None
    assert triplets is not None
    assert triplets.llr == pytest.approx(alone.llr)
    assert not alone.flagged


def test_accuracies_are_clipped_and_nobody_votes_for_nothing() -> None:
    assert suspect_gold([Vote(1.0, 1.0, 0.0)]) == suspect_gold([Vote(0.95, 1.0, 0.0)])
    assert suspect_gold([Vote(0.0, 1.0, 0.0)]) == suspect_gold([Vote(0.05, 1.0, 0.0)])
    assert suspect_gold([]) is None


def test_wrong_answers_that_all_agree_by_habit_are_weaker_evidence() -> None:
    often, rarely = (suspect_gold(votes(0.8, 0.7, 0.6), top_wrong_share=share) for share in (0.9, 0.1))
    assert often is not None
    assert rarely is not None
    assert often.llr < rarely.llr
    assert top_wrong_share([[3, 1], [1], []]) == pytest.approx(0.875)
    assert top_wrong_share([]) == 0.3


def test_known_gradings_have_their_published_flakiness() -> None:
    found = flakiness([(3, 3), (2, 1), (4, 4), (2, 2), (5, 4), (3, 0)])
    assert found is not None
    assert (found.disagreeing, found.pairs) == (5, 24)
    assert found.rate == pytest.approx(0.208333, abs=1e-6)
    assert found.flip_rate == pytest.approx(0.118119, abs=1e-6)


def test_flakiness_needs_an_output_graded_twice() -> None:
    assert flakiness([]) is None
    assert flakiness([(1, 1), (1, 0)]) is None
    coin = flakiness([(2, 1)] * 3)
    assert coin is not None
    assert (coin.rate, coin.flip_rate) == (1.0, 0.5)


def test_the_flip_rate_is_found_again() -> None:
    rng = np.random.default_rng(1)
    passes = rng.binomial(4, np.where(rng.random(20_000) < 0.5, 0.93, 0.07))
    found = flakiness([(4, int(c)) for c in passes])
    assert found is not None
    assert found.flip_rate == pytest.approx(0.07, abs=0.003)


def test_tasks_that_never_vary_are_listed_unless_the_runs_differ() -> None:
    tasks = {
        "never": [(5, 0), (5, 0)],
        "always": [(5, 5), (4, 4)],
        "flip": [(5, 0), (5, 5)],
        "mixed": [(5, 2)],
        "no": [],
    }
    assert zero_variance_tasks(tasks) == ("always", "never")
    assert zero_variance_tasks({}) == ()


def test_saturation_takes_twenty_seven_rows_without_a_fail() -> None:
    full = saturation([(27, 27)] * 7 + [(26, 26), (5, 5), (5, 0)])
    assert full is not None
    assert (full.tasks, full.saturated, full.ceiling) == (10, 7, True)
    assert full.share == pytest.approx(0.7)
    assert full.headroom == pytest.approx(0.1)
    young = saturation([(5, 5)] * 10)
    assert young is not None
    assert (young.saturated, young.ceiling, young.headroom) == (0, False, 0.0)
    assert saturation([]) is None
    assert saturation([(0, 0)]) is None


def test_known_items_have_their_published_correlations() -> None:
    found = item_rest(KNOWN_RESPONSES, fewest=5)
    assert [item.correlation for item in found] == pytest.approx([-0.1961, 0.375, 0.6455, 0], abs=5e-5)


def test_fewer_than_eight_vectors_or_constant_items_have_no_correlation() -> None:
    assert [item.correlation for item in item_rest(KNOWN_RESPONSES)] == [None] * 4
    constant = item_rest([[1, 0, 1], [1, 1, 0], [1, 0, 0]] * 3)
    assert constant[0].correlation is None
    assert item_rest([]) == ()
    assert [item.correlation for item in item_rest([[1], [0]] * 6)] == [None]


def test_responses_that_are_not_there_are_left_out() -> None:
    rng = np.random.default_rng(2)
    matrix = (rng.random((12, 4)) < 0.5).astype(float)
    matrix[3, 1] = math.nan
    found = item_rest(matrix)[1]
    there = np.delete(matrix, 3, axis=0)
    expected = np.corrcoef(there[:, 1], there.sum(axis=1) - there[:, 1])[0, 1]
    assert found.correlation == pytest.approx(expected)


def test_an_item_that_good_models_fail_is_flagged() -> None:
    rng = np.random.default_rng(3)
    skill = rng.random((60, 1))
    matrix = (rng.random((60, 12)) < skill).astype(float)
    matrix[:, 0] = (rng.random(60) < 1 - skill[:, 0]).astype(float)
    assert [item.flagged for item in item_rest(matrix)] == [True] + [False] * 11
    assert item_rest([[1, 0], [0, 1]] * 5)[0].p == 0.0


def test_order_shows_as_a_trend() -> None:
    rising = order_trend([0.0] * 20 + [1.0] * 20)
    assert rising is not None
    assert rising.correlation == pytest.approx(np.corrcoef([0] * 20 + [1] * 20, range(40))[0, 1])
    assert rising.p < 1e-6
    assert order_trend([1.0] * 10) is None
    assert order_trend([1.0, 2.0]) is None


@given(st.lists(st.integers(0, 3), max_size=20))
def test_a_trend_backwards_is_its_mirror_image(values: list[int]) -> None:
    one, other = order_trend([float(v) for v in values]), order_trend([float(v) for v in reversed(values)])
    if one is None or other is None:
        assert one is other
    else:
        assert one.correlation == pytest.approx(-other.correlation, abs=1e-12)
        assert one.p == pytest.approx(other.p)


def test_the_trend_of_an_order_raises_few_false_alarms() -> None:
    rng = random.Random(5)
    trends = 0
    for _ in range(400):
        trend = order_trend([float(rng.random() < 0.4) for _ in range(60)])
        assert trend is not None
        trends += trend.p <= 0.05
    assert 8 <= trends <= 35  # 20 expected
