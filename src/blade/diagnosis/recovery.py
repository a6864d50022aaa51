"""How many points a failure mode costs: what the score would be had its rollouts gone as the others of their task.

The ceiling is another thing: the points if every rollout hit had passed. It is reached for certain where the stored
outputs can be scored again. Elsewhere the cost is an estimate: a hit rollout is given the mean of its task's
other attempts, drawn towards the run's mean; where every attempt is hit, half of the run's mean stands in and the task
counts as extrapolated; if all are, nothing is estimated. The interval is a bootstrap over tasks, its
lower end without the extrapolated ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from blade.counting.passing import FULL
from blade.diagnosis.cases import Case, RunCases
from blade.frozen import frozen

FEWEST_TASKS = 8
FEWEST_TRIED, FEWEST_RUNS = 8, 3
"""Judged rollouts at a task, and runs that tried it: so many without a pass tell something of the task."""
DRAWN = 3.0
EXTRAPOLATED = 0.5
REPLICATES = 2000
SEED = 20
_KEY, _REWARD = attrgetter("key"), attrgetter("reward")


@frozen
class Recovery:
    """Points of the score; null where fewer than eight tasks are hit, or none has an attempt to compare with."""

    points: float | None
    interval: tuple[float, float] | None
    exact: bool
    most: float
    """The ceiling: had every hit rollout passed."""
    tasks: int
    extrapolated: int

    def data(self) -> dict[str, Any]:
        return {
            "points": self.points,
            "exact": self.exact,
            "interval": list(self.interval) if self.interval else None,
            "most": self.most,
            "tasks": self.tasks,
            "extrapolated": self.extrapolated,
        }


def recovery(cases: Sequence[Case], hit_by: Callable[[Case], bool], *, exact: bool) -> Recovery:
    """What the rollouts that something hit cost a run. All cases of the run are needed: the others are the control."""
    struck = [case for case in cases if hit_by(case)]
    hit_ids = set(map(id, struck))
    spared = [case for case in cases if id(case) not in hit_ids]
    overall = float(np.mean([*map(_REWARD, spared)])) if spared else 0.0
    attempts = Counter(map(_KEY, cases))
    hit_tasks: dict[str, tuple[list[float], list[float]]] = {case.key: ([], []) for case in struck}
    for side, cases_of_side in enumerate((spared, struck)):
        for case in cases_of_side:
            if case.key in hit_tasks:
                hit_tasks[case.key][side].append(case.reward)
    gains, sure = dict.fromkeys(attempts, 0.0), dict.fromkeys(attempts, 0.0)
    for key, (spared_rewards, rewards) in hit_tasks.items():
        instead = (
            (sum(spared_rewards) + DRAWN * overall) / (len(spared_rewards) + DRAWN)
            if spared_rewards
            else EXTRAPOLATED * overall
        )
        gains[key] = 1 / attempts[key] * sum(max(instead - reward, 0.0) for reward in rewards)
        sure[key] = gains[key] if spared_rewards else 0.0
    hit, extrapolated = len(hit_tasks), sum(not spared_rewards for spared_rewards, _ in hit_tasks.values())
    upper = _if_passed(struck, cases, attempts)
    if exact:
        return Recovery(upper, None, exact=True, most=upper, tasks=hit, extrapolated=0)
    if hit < FEWEST_TASKS or extrapolated == hit:
        return Recovery(None, None, exact=False, most=upper, tasks=hit, extrapolated=extrapolated)
    points, interval = float(np.mean([*gains.values()])), _interval([*gains.values()], [*sure.values()])
    return Recovery(points, interval, exact=False, most=upper, tasks=hit, extrapolated=extrapolated)


def ceiling(cases: Sequence[Case], hit_by: Callable[[Case], bool]) -> float:
    """Points of the score if every rollout hit had passed: all that a repair could bring, and more than most do."""
    return _if_passed([case for case in cases if hit_by(case)], cases, Counter(map(_KEY, cases)))


def unpassed_tasks(runs: Sequence[RunCases]) -> frozenset[str]:
    """The tasks that several runs tried, often enough, and none ever passed, by their keys.

    What fails there in one way may still fail in another once that is mended.
    """
    tasks: dict[str, list[Case]] = {}
    for run in runs:
        for case in run.judged():
            tasks.setdefault(case.key, []).append(case)
    return frozenset(
        key
        for key, cases in tasks.items()
        if len(cases) >= FEWEST_TRIED
        and len({case.run for case in cases}) >= FEWEST_RUNS
        and not any(c.passed for c in cases)
    )


def _if_passed(hit: Sequence[Case], cases: Sequence[Case], attempts: Mapping[str, int]) -> float:
    rewards = [*map(_REWARD, cases)]
    graded = min(rewards, default=0.0) >= 0 and max(rewards, default=0.0) <= FULL
    full = FULL if graded else max(rewards)  # on another scale nobody knows more than the best that was reached
    lacking = [(full - case.reward) / attempts[case.key] for case in hit]
    return math.fsum(lacking) / len(attempts) if attempts else 0.0


def _interval(gains: Sequence[float], sure: Sequence[float]) -> tuple[float, float]:
    """A bootstrap over tasks: the lower end counts only tasks with attempts that the mode spared.

    Tasks that gain alike are drawn together: the same law, and the cost does not grow with the tasks.
    """
    tasks = len(gains)
    cells = sorted(Counter(zip(sure, gains, strict=True)).items())
    low, high = np.array([values for values, _ in cells]).T
    share = np.array([times for _, times in cells]) / tasks
    resamples = np.random.default_rng(SEED).multinomial(tasks, share / share.sum(), size=REPLICATES)
    return float(np.quantile(resamples @ low / tasks, 0.025)), float(np.quantile(resamples @ high / tasks, 0.975))
