"""The pass@k family, by the formulas of the shared helper that benchmarks call.

A task is the list of its rollouts' scores in the order the source had them; None where a rollout has no such score.
Every result is a percentage, except the average deviation within a task, which keeps the unit of the score.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from blade.counting.recompute.baseline import deviation, mean

if TYPE_CHECKING:
    from collections.abc import Sequence

Scores = list[float | None]


def pass_at(tasks: Sequence[Scores], k: int) -> float | None:
    """Chance that k drawn rollouts hold a pass; for a task with other scores than 0 and 1, the best of its first k.

    Tasks with fewer than k scores are left out.
    """
    task_values = [_task_pass_at(scores, k) for task in tasks if len(scores := _scores_of(task)) >= max(k, 1)]
    return _percent(task_values)


def _task_pass_at(scores: Sequence[float], k: int) -> float:
    if any(score not in (0, 1) for score in scores):
        return max(scores[:k])
    wrong = sum(1 for score in scores if not score)
    return 1.0 if wrong < k else 1.0 - math.comb(wrong, k) / math.comb(len(scores), k)


def all_of(tasks: Sequence[Scores], k: int) -> float | None:
    """Chance that k drawn rollouts all pass; tasks with fewer than k scores are left out."""
    score_lists = [scores for task in tasks if len(scores := _scores_of(task)) >= max(k, 1)]
    return _percent([math.comb(sum(map(bool, scores)), k) / math.comb(len(scores), k) for scores in score_lists])


def best_of_first(tasks: Sequence[Scores], k: int) -> float | None:
    """Mean over tasks of the best of the first k rollouts; a task with fewer stays in with what it has."""
    return _percent([max(scores) for task in tasks if (scores := _scores_of(task[:k]))])


def mean_of_rollouts(tasks: Sequence[Scores]) -> float | None:
    """Mean over all rollouts, whatever their task: a task that was tried more often weighs more."""
    return _percent([score for task in tasks for score in _scores_of(task)])


def average_of(tasks: Sequence[Scores], k: int) -> float | None:
    """Mean over tasks of the mean of the first k rollouts; a task with fewer stays in with what it has."""
    return _percent([mean(scores) for task in tasks if (scores := _scores_of(task[:k]))])


def majority_at(tasks: Sequence[Scores], answers: Sequence[Sequence[str | None]], k: int) -> float | None:
    """Score of the most frequent (answer, score) pair among the first k; ties are averaged, no answer scores 0."""
    return _percent([_vote(scores[:k], task_answers[:k]) for scores, task_answers in zip(tasks, answers, strict=True)])


def _vote(scores: Scores, answers: Sequence[str | None]) -> float:
    votes = Counter(
        (answer, score)
        for answer, score in zip(answers, scores, strict=True)
        if answer is not None and score is not None
    )
    if not votes:
        return 0.0
    top_votes = max(votes.values())
    return mean([score for (_, score), count in votes.items() if count == top_votes])


def run_means(tasks: Sequence[Scores]) -> list[float]:
    """Percent of the first rollouts of all tasks, of the second ones, and so on; a place nobody scored is skipped."""
    longest = max((len(task) for task in tasks), default=0)
    places = ([task[place] for task in tasks if place < len(task)] for place in range(longest))
    return [100.0 * mean(scores) for place in places if (scores := _scores_of(place))]


def spread_of_runs(means: Sequence[float], k: int) -> tuple[float, float] | None:
    """Standard deviation and standard error over the first k run means; nothing below two."""
    first = means[:k]
    spread = deviation(first)
    return None if spread is None else (spread, spread / math.sqrt(len(first)))


def spread_within_tasks(tasks: Sequence[Scores], k: int) -> float | None:
    """Mean over tasks of the deviation among the first k, in the unit of the score; tasks with one score left out."""
    spreads = [spread for task in tasks if (spread := deviation(_scores_of(task[:k]))) is not None]
    return mean(spreads) if spreads else None


def _scores_of(scores: Scores) -> list[float]:
    return [score for score in scores if score is not None]


def _percent(values: Sequence[float]) -> float | None:
    return 100.0 * mean(values) if values else None
