from __future__ import annotations

import statistics
from collections import Counter
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.stats.majority import majority_at_k

if TYPE_CHECKING:
    import random

attempts = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from([0.0, 0.5, 1.0])), max_size=8)


def by_hand(votes: list[tuple[str | None, float]], k: int) -> float:
    """Majority@k spelled out, subset by subset."""
    worth = {a: statistics.mean(s for b, s in votes if b == a) for a, _ in votes}
    results = []
    for subset in combinations(votes, k):
        count = Counter(a for a, _ in subset if a is not None)
        tied = [a for a, v in count.items() if v == max(count.values())]
        results.append(statistics.mean(worth[a] for a in tied) if tied else 0.0)
    return statistics.mean(results)


def test_a_tied_vote_shares_the_credit() -> None:
    answers, correct = [7, 7, 3, 3, None], [1.0, 1.0, 0.0, 0.0, 0.0]
    found = [majority_at_k(answers, correct, k) for k in range(1, 6)]
    assert found == pytest.approx([0.4, 0.5, 0.5, 0.5, 0.5], abs=1e-12)


def test_a_majority_beats_a_single_attempt_only_if_it_is_right() -> None:
    assert majority_at_k("xxxyz", [1, 1, 1, 0, 0], 5) == 1.0
    assert majority_at_k("xxxyz", [0, 0, 0, 1, 1], 5) == 0.0


def test_one_answer_scored_two_ways_keeps_its_votes_together() -> None:
    assert majority_at_k("xxxyy", [1, 0, 0, 1, 1], 5) == pytest.approx(1 / 3)


def test_all_abstaining_scores_nothing_even_if_an_attempt_was_scored() -> None:
    assert majority_at_k([None, None, None], [1.0, 0.0, 1.0], 2) == 0.0


def test_too_few_attempts_have_no_majority() -> None:
    assert majority_at_k(["x"], [1.0], 2) is None
    assert majority_at_k([], [], 1) is None


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(ValueError):
        majority_at_k(["x"], [1.0], 0)
    with pytest.raises(ValueError):
        majority_at_k(["x", "y"], [1.0], 1)


def two_answers(right: int, wrong: int, silent: int) -> tuple[list[str | None], list[float]]:
    return ["x"] * right + ["y"] * wrong + [None] * silent, [1.0] * right + [0.0] * (wrong + silent)


def exact(right: int, wrong: int, silent: int, k: int) -> float:
    ways = [
        (i, j, comb(right, i) * comb(wrong, j) * comb(silent, k - i - j))
        for i in range(k + 1)
        for j in range(k + 1 - i)
    ]
    return sum(w * ((i > j) + (i == j > 0) / 2) for i, j, w in ways) / comb(right + wrong + silent, k)


def test_many_subsets_are_counted_without_listing_them() -> None:
    ballot = two_answers(14, 12, 4)
    for k in (1, 9, 15, 30):
        assert majority_at_k(*ballot, k) == pytest.approx(exact(14, 12, 4, k), abs=1e-12)


def test_of_very_many_attempts_subsets_are_drawn_with_the_seed_given() -> None:
    answers, correct = two_answers(100, 95, 15)
    drawn = majority_at_k(answers, correct, 9, seed=1)
    assert drawn == majority_at_k(answers, correct, 9, seed=1)
    assert drawn != majority_at_k(answers, correct, 9, seed=2)
    assert drawn == majority_at_k(answers[::-1], correct[::-1], 9, seed=1)
    assert drawn == pytest.approx(exact(100, 95, 15, 9), abs=0.02)  # three standard errors of 5000 draws


@given(attempts, st.integers(1, 8))
def test_every_subset_counts_once(votes: list[tuple[str | None, float]], k: int) -> None:
    found = majority_at_k([a for a, _ in votes], [s for _, s in votes], k)
    if len(votes) < k:
        assert found is None
    else:
        assert found == pytest.approx(by_hand(votes, k), abs=1e-12)


@given(attempts, st.integers(1, 8), st.randoms(use_true_random=False))
def test_the_order_of_attempts_does_not_matter(
    votes: list[tuple[str | None, float]], k: int, rng: random.Random
) -> None:
    shuffled = rng.sample(votes, len(votes))
    found = [majority_at_k([a for a, _ in v], [s for _, s in v], k) for v in (votes, shuffled)]
    assert found[0] == found[1]
