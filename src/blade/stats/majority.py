"""What a majority vote over k attempts would score."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Floats = npt.NDArray[np.float64]

MOST_COUNTED = 200
"""Attempts up to which subsets are counted; beyond, DRAWS of them are drawn."""

DRAWS = 5000

Ballot: TypeAlias = tuple[tuple[int, ...], tuple[float, ...]]
"""How many attempts abstain and how many gave each answer; and each answer's worth."""


def majority_at_k(
    answers: Sequence[Hashable | None], correct: Sequence[float], k: int, *, seed: int = 0
) -> float | None:
    """Mean score of the majority answer over k-subsets of a task's attempts; None with fewer than k attempts.

    An answer is worth the mean score of all attempts that gave it. Answers tied for most votes share the credit. None
    abstains, and a subset in which all abstain scores 0. All subsets count with at most 200 attempts; else 5000 are
    drawn with the seed given. Neither way depends on the order of the attempts.
    """
    return counted_at_k(ballot(answers, correct), k, seed=seed)


def counted_at_k(votes_cast: Ballot, k: int, *, seed: int = 0) -> float | None:
    """The same of a ballot: tasks whose attempts voted alike are worked out once."""
    if k < 1:
        raise ValueError(f"k is {k}; it counts votes and starts at 1")
    sizes, credit = votes_cast
    attempts = sum(sizes)
    if attempts < k:
        return None
    if attempts <= MOST_COUNTED:
        return _credit_by_k(sizes, credit)[k]
    votes = np.random.default_rng(seed).multivariate_hypergeometric(sizes, k, size=DRAWS)
    scores = _scores(votes[:, 1:], np.array(credit))
    return math.fsum(scores.tolist()) / len(scores)


def ballot(answers: Sequence[Hashable | None], correct: Sequence[float]) -> Ballot:
    """How many attempts abstain and how many gave each answer; and each answer's worth. Sorted, to forget the order."""
    scores: dict[Hashable | None, list[float]] = defaultdict(list)
    for answer, score in zip(answers, correct, strict=True):
        scores[answer].append(score)
    abstained = len(scores.pop(None, []))
    answer_groups = sorted((len(group), math.fsum(group) / len(group)) for group in scores.values())
    return (abstained, *(size for size, _ in answer_groups)), tuple(worth for _, worth in answer_groups)


@lru_cache(maxsize=4096)
def _credit_by_k(sizes: tuple[int, ...], credit: tuple[float, ...]) -> tuple[float, ...]:
    """The mean score for each k from 0 to all attempts, by counting the subsets of each kind, not by listing them.

    A subset is won with m votes. `ways[t, k]` counts the k-subsets in which t answers have m votes and no answer more;
    `worth[t, k]` adds up the worth of those t answers over them. Answers are taken in one after the other: each has
    fewer than m votes, or is one of the t.
    """
    n, answers = sum(sizes), list(zip(sizes[1:], credit, strict=True))
    won = np.zeros(n + 1)
    for m in range(1, max(sizes[1:], default=0) + 1):
        able = [(size, value) for size, value in answers if size >= m]
        small_votes = n - sum(size for size, _ in able)
        arrangements, worth = np.zeros((2, min(len(able), n // m) + 1, n + 1))
        arrangements[0, : small_votes + 1] = [math.comb(small_votes, k) for k in range(small_votes + 1)]
        for size, value in able:
            with_m = float(math.comb(size, m))
            new_arrangements, valued = _fewer(arrangements, size, m), _fewer(worth, size, m)
            new_arrangements[1:, m:] += with_m * arrangements[:-1, :-m]
            valued[1:, m:] += with_m * (worth[:-1, :-m] + value * arrangements[:-1, :-m])
            arrangements, worth = new_arrangements, valued
        won += (worth[1:] / np.arange(1.0, len(worth))[:, None]).sum(axis=0)
    return tuple(value / math.comb(n, k) for k, value in enumerate(won.tolist()))


def _fewer(counts: Floats, size: int, m: int) -> Floats:
    """The counts with one more answer, which has fewer than m of its `size` votes in the subset."""
    result = np.zeros_like(counts)
    for votes in range(m):
        result[:, votes:] += math.comb(size, votes) * counts[:, : counts.shape[1] - votes]
    return result


def _scores(votes: npt.NDArray[np.int64], credit: Floats) -> Floats:
    top_votes = votes.max(axis=1, initial=0)
    winners = (votes == top_votes[:, None]) & (top_votes > 0)[:, None]
    shared: Floats = (winners * credit).sum(axis=1) / np.maximum(winners.sum(axis=1), 1)
    return shared
