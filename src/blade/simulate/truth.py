"""What really happened in a simulated run: the planted causes and what each did to the score."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from blade.simulate.dice import chance
from blade.simulate.run import SimulatedRun, make_run, plant, score

if TYPE_CHECKING:
    from blade.simulate.scenario import Json, Scenario

__all__ = ["truth_of"]

SHARED_OUT = 5
"""With more causes than this the points are not shared out: the replays double with every cause."""


def truth_of(scenario: Scenario) -> Json:
    """The planted causes with the rows they changed, and the score with and without each of them.

    `points` shares the whole change out over the causes, so that they add up (every order of planting counts alike).
    """
    run = make_run(scenario)
    settings = asdict(scenario) | {"causes": [cause.name for cause in scenario.causes]}
    order = sorted(range(len(scenario.causes)), key=lambda number: (scenario.causes[number].stage, number))
    without = _Replays(run)
    everyone = frozenset(order)
    return {
        "scenario": settings,
        "score": score(run.rows),
        "score_clean": score(run.clean),
        "rows": dict(Counter(row.place for row in run.rows)),
        "pass_probability": {
            str(row.index): chance(scenario.skill, row.task.hardness, scenario.temperature)
            for row in sorted(run.clean, key=lambda row: row.index)
        },
        "causes": [
            {
                "cause": planted.cause,
                "settings": planted.settings,
                "where": planted.where,
                "rollouts": len(planted.rows),
                "rows": list(planted.rows),
                "score_without": without.score(everyone - {number}),
                "points": without.share(number) if len(order) <= SHARED_OUT else None,
            }
            for number, planted in zip(order, run.planted, strict=True)
        ],
    }


class _Replays:
    """Scores of the run with any set of its causes, each set replayed once."""

    def __init__(self, run: SimulatedRun) -> None:
        self._run = run
        self._scores: dict[frozenset[int], float] = {}

    def score(self, causes: frozenset[int]) -> float:
        if causes not in self._scores:
            rows, _ = plant(self._run.scenario, self._run.clean, sorted(causes))
            self._scores[causes] = score(rows)
        return self._scores[causes]

    def share(self, number: int) -> float:
        """The cause's average effect over all orders in which the causes could have been added."""
        others = [other for other in range(len(self._run.scenario.causes)) if other != number]
        total = 0.0
        for size in range(len(others) + 1):
            weight = 1 / (len(others) + 1) / comb(len(others), size)
            for chosen in map(frozenset, combinations(others, size)):
                total += weight * (self.score(chosen | {number}) - self.score(chosen))
        return total
