"""What a majority vote of the stored attempts would win: the one gain for tasks that waver which needs no new run."""

from __future__ import annotations

import math
from collections.abc import Collection

from blade.diagnosis.cases import RunCases
from blade.diagnosis.recovery import FEWEST_TASKS
from blade.stats.majority import majority_at_k


def vote_gain(run: RunCases, tasks: Collection[str]) -> float | None:
    """Points of the run's score, had each of these tasks given the answer that most of its attempts gave.

    None where there is nothing to vote with: no answers are stored, or one of the best-scored rows lacks its answer, so
    that something else was graded.
    """
    top = max((case.reward for case in run.cases), default=0.0)
    if all(case.answer is None for case in run.cases):
        return None
    if any(case.answer is None and case.reward >= top for case in run.cases):
        return None
    by_task = run.by_task()
    gains = []
    for key in sorted(tasks):
        rewards = [case.reward for case in by_task[key]]
        voted = majority_at_k([case.answer for case in by_task[key]], rewards, len(rewards))
        gains.append((voted or 0.0) - math.fsum(rewards) / len(rewards))
    return math.fsum(gains) / len(by_task)


def a_vote_wins(run: RunCases, tasks: Collection[str]) -> bool:
    """Whether a vote wins points at these tasks, and they are enough to tell."""
    gain = vote_gain(run, tasks)
    return gain is not None and gain > 0 and len(tasks) >= FEWEST_TASKS
