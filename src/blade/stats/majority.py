"""What a majority vote over k attempts would score."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

SUBSETS = 5000
"""All subsets are counted up to this many; beyond, this many are drawn."""


def majority_at_k(
    answers: Sequence[Hashable | None], correct: Sequence[float], k: int, *, seed: int = 0
) -> float | None:
    """Mean score of the majority answer over k-subsets of a task's attempts; None with fewer than k attempts.

    An answer is worth the mean score of all attempts that gave it. Answers tied for most votes share the credit. None
    abstains, and a subset in which all abstain scores 0. All subsets count if there are at most 5000 of them; else 5000
    are drawn with the seed given. Neither way depends on the order of the attempts.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it counts votes and starts at 1")
    sizes, credit = _ballot(answers, correct)
    if len(answers) < k:
        return None
    if math.comb(len(answers), k) <= SUBSETS:
        votes = _all_votes(sizes, k)
    else:
        votes = np.random.default_rng(seed).multivariate_hypergeometric(sizes, k, size=SUBSETS)
    scores = _scores(votes[:, 1:], credit)
    return math.fsum(scores.tolist()) / len(scores)


def _ballot(answers: Sequence[Hashable | None], correct: Sequence[float]) -> tuple[list[int], npt.NDArray[np.float64]]:
    """How many attempts abstain and how many gave each answer; and each answer's worth. Sorted, to forget the order."""
    scores: dict[Hashable | None, list[float]] = defaultdict(list)
    for answer, score in zip(answers, correct, strict=True):
        scores[answer].append(score)
    abstained = len(scores.pop(None, []))
    given = sorted((len(group), math.fsum(group) / len(group)) for group in scores.values())
    return [abstained, *(size for size, _ in given)], np.array([worth for _, worth in given], dtype=np.float64)


def _all_votes(sizes: Sequence[int], k: int) -> npt.NDArray[np.int64]:
    """One row per k-subset: the votes for abstaining and for each answer."""
    one_hot = np.repeat(np.eye(len(sizes), dtype=np.int64), sizes, axis=0)
    votes: npt.NDArray[np.int64] = one_hot[_subsets(sum(sizes), k)].sum(axis=1)
    return votes


@lru_cache(maxsize=64)
def _subsets(n: int, k: int) -> npt.NDArray[np.int64]:
    return np.array(list(combinations(range(n), k)), dtype=np.int64)


def _scores(votes: npt.NDArray[np.int64], credit: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    most = votes.max(axis=1, initial=0)
    winners = (votes == most[:, None]) & (most > 0)[:, None]
    shared: npt.NDArray[np.float64] = (winners * credit).sum(axis=1) / np.maximum(winners.sum(axis=1), 1)
    return shared
