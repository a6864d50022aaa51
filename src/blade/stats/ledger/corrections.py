"""The first block of the ledger: what the scores owe to duplicate rows, foreign rows or another scale of rewards.

These are facts about files, without sampling error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations

from blade.frozen import frozen

MOST = 4
"""Causes that are weighed together; each more doubles the work."""

Scoring = Callable[[frozenset[str]], Mapping[Hashable, float]]
"""What each task adds to the score of a run once these corrections are made. The values add up to the score."""


@frozen
class Correction:
    """One cause of corrections in a pair of runs."""

    cause: str  # duplicate_rows, foreign_rows or reward_rescaled
    by_task: Mapping[Hashable, float]  # points of the change; they add up to the part
    rollouts: int = 0
    displaced: bool = False  # rows stood in the place of others, whose scores nobody knows: there is sampling error
    assumed: bool = False  # told by a trace, not by a statement

    @property
    def points(self) -> float:
        return math.fsum(self.by_task.values())


def shares(rewards: Mapping[Hashable, Sequence[float]], *, micro: bool = False) -> dict[Hashable, float]:
    """What each task adds to the score of a run: its mean over the number of tasks, or its sum over all rows."""
    filled = {task: ys for task, ys in rewards.items() if len(ys)}
    rows = sum(len(ys) for ys in filled.values())
    return {t: math.fsum(ys) / (rows if micro else len(filled) * len(ys)) for t, ys in filled.items()}


def shapley(value: Scoring, causes: Sequence[str]) -> dict[str, dict[Hashable, float]]:
    """What each cause, by task, adds to the value as found: before minus after its correction.

    Where corrections overlap, the mean over all orders of making them (Shapley), by at most 16 calls of `value`.
    """
    if len(causes) > MOST:
        raise ValueError(f"{len(causes)} causes; at most {MOST} are weighed together")
    subsets = [frozenset(s) for size in range(len(causes) + 1) for s in combinations(causes, size)]
    values = {s: value(s) for s in subsets}
    tasks = list(dict.fromkeys(task for by_task in values.values() for task in by_task))
    weights = [
        math.factorial(size) * math.factorial(len(causes) - size - 1) / math.factorial(len(causes))
        for size in range(len(causes))
    ]
    return {
        cause: {
            task: math.fsum(
                weights[len(s)] * (values[s].get(task, 0.0) - values[s | {cause}].get(task, 0.0))
                for s in subsets
                if cause not in s
            )
            for task in tasks
        }
        for cause in causes
    }


def corrections(
    base: Scoring, candidate: Scoring, causes: Sequence[str], rollouts: Mapping[str, int] | None = None
) -> tuple[Correction, ...]:
    """Part = L(candidate) - L(base), L = score before minus score after; causes that change nothing are left out."""
    of_base, of_candidate = shapley(base, causes), shapley(candidate, causes)
    result = []
    for cause in causes:
        tasks = dict.fromkeys((*of_base[cause], *of_candidate[cause]))
        by_task = {t: of_candidate[cause].get(t, 0.0) - of_base[cause].get(t, 0.0) for t in tasks}
        by_task = {t: points for t, points in by_task.items() if points != 0.0}
        if by_task:
            result.append(Correction(cause, by_task, (rollouts or {}).get(cause, 0)))
    return tuple(result)
