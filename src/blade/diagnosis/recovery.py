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
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from blade.counting.passing import FULL
from blade.diagnosis.cases import Case, RunCases
from blade.frozen import frozen
from blade.stats.quantiles import quantiles

FEWEST_TASKS = 8
FEWEST_TRIED, FEWEST_RUNS = 8, 3
"""Judged rollouts at a task, and runs that tried it: so many without a pass tell something of the task."""
DRAWN = 3.0
EXTRAPOLATED = 0.5
REPLICATES = 2000
SEED = 20


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


class Rewards:
    """The rewards of all rollouts of a run, by task: what every estimate of the run rests on."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = cases
        self._places = {id(case): place for place, case in enumerate(cases)}
        self._tasks: dict[str, list[int]] = {}
        for place, case in enumerate(cases):
            self._tasks.setdefault(case.key, []).append(place)
        rewards = [case.reward for case in cases]
        self._rewards = np.array(rewards)
        graded = min(rewards, default=0.0) >= 0 and max(rewards, default=0.0) <= FULL
        self._full = FULL if graded else max(rewards)  # on another scale nobody knows more than the best reached

    def recovery(self, hit: Iterable[Case], *, exact: bool) -> Recovery:
        """What the rollouts that something hit cost the run. The others are the control."""
        struck = self._struck(hit)
        spared = np.delete(self._rewards, struck)
        overall = float(np.mean(spared)) if len(spared) else 0.0
        struck_places = set(struck)
        gains, sure = dict.fromkeys(self._tasks, 0.0), dict.fromkeys(self._tasks, 0.0)
        hit_tasks = {self._cases[place].key for place in struck}
        extrapolated = 0
        for key in hit_tasks:
            places = self._tasks[key]
            spared_rewards = [self._cases[place].reward for place in places if place not in struck_places]
            rewards = [self._cases[place].reward for place in places if place in struck_places]
            instead = (
                (sum(spared_rewards) + DRAWN * overall) / (len(spared_rewards) + DRAWN)
                if spared_rewards
                else EXTRAPOLATED * overall
            )
            gains[key] = 1 / len(places) * sum(max(instead - reward, 0.0) for reward in rewards)
            sure[key] = gains[key] if spared_rewards else 0.0
            extrapolated += not spared_rewards
        upper = self._if_passed(struck)
        if exact:
            return Recovery(upper, None, exact=True, most=upper, tasks=len(hit_tasks), extrapolated=0)
        if len(hit_tasks) < FEWEST_TASKS or extrapolated == len(hit_tasks):
            return Recovery(None, None, exact=False, most=upper, tasks=len(hit_tasks), extrapolated=extrapolated)
        points, interval = float(np.mean([*gains.values()])), _interval([*gains.values()], [*sure.values()])
        return Recovery(points, interval, exact=False, most=upper, tasks=len(hit_tasks), extrapolated=extrapolated)

    def ceiling(self, hit: Iterable[Case]) -> float:
        """Points of the score if every rollout hit had passed: all that a repair could bring, and more than most do."""
        return self._if_passed(self._struck(hit))

    def _struck(self, hit: Iterable[Case]) -> list[int]:
        """The places of those rollouts of this run that were hit, each once, in order."""
        return sorted({self._places[id(case)] for case in hit if id(case) in self._places})

    def _if_passed(self, struck: Sequence[int]) -> float:
        hit = [self._cases[place] for place in struck]
        lacking = [(self._full - case.reward) / len(self._tasks[case.key]) for case in hit]
        return math.fsum(lacking) / len(self._tasks) if self._tasks else 0.0


def rewards_of(run: RunCases) -> Rewards:
    """The rewards of a run, put in order once: every mode and every remedy asks for them."""
    if "rewards" not in run.known:
        run.known["rewards"] = Rewards(run.cases)
    return run.known["rewards"]  # type: ignore[no-any-return]


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


def _interval(gains: Sequence[float], sure: Sequence[float]) -> tuple[float, float]:
    """A bootstrap over tasks: the lower end counts only tasks with attempts that the mode spared.

    Tasks that gain alike are drawn together: the same law, and the cost does not grow with the tasks.
    """
    tasks = len(gains)
    cells = sorted(Counter(zip(sure, gains, strict=True)).items())
    low, high = np.array([values for values, _ in cells]).T
    share = np.array([times for _, times in cells]) / tasks
    resamples = np.random.default_rng(SEED).multinomial(tasks, share / share.sum(), size=REPLICATES)
    (lower,), (upper,) = quantiles(resamples @ low / tasks, [0.025]), quantiles(resamples @ high / tasks, [0.975])
    return lower, upper
