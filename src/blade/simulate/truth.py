"""What really happened in a simulated run: the planted causes and what each did to the score."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from blade.simulate.rng import chance
from blade.simulate.run import SimulatedRun, expected_score, make_run, plant, score

if TYPE_CHECKING:
    from blade.simulate.cause_context import Scenario
    from blade.simulate.simulated_row import Json, SimulatedRow

__all__ = ["Replays", "shared_out", "truth_of"]


class Replays:
    """Scores of the run with any set of its causes, realised and expected; each set is replayed once."""

    def __init__(self, run: SimulatedRun) -> None:
        self._run = run
        everyone = frozenset(range(len(run.scenario.causes)))
        self._scores = {frozenset[int](): _scores(run.clean), everyone: _scores(run.rows)}

    def score(self, causes: frozenset[int]) -> tuple[float, float]:
        """Realised and expected score with these causes and no others."""
        if causes not in self._scores:
            rows, _ = plant(self._run.scenario, self._run.clean, sorted(causes))
            self._scores[causes] = _scores(rows)
        return self._scores[causes]

    def share(self, number: int) -> tuple[float, float]:
        """The cause's average effect over all orders in which the causes could have been added."""
        other_causes = [cause for cause in range(len(self._run.scenario.causes)) if cause != number]
        realised = expected = 0.0
        for size in range(len(other_causes) + 1):
            weight = 1 / (len(other_causes) + 1) / comb(len(other_causes), size)
            for subset in map(frozenset, combinations(other_causes, size)):
                with_it, without = self.score(subset | {number}), self.score(subset)
                realised += weight * (with_it[0] - without[0])
                expected += weight * (with_it[1] - without[1])
        return realised, expected


def shared_out(run: SimulatedRun) -> list[tuple[float, float]]:
    """Realised and expected points of each planted cause, in the order of `run.planted`."""
    causes = run.scenario.causes
    order = sorted(range(len(causes)), key=lambda number: (causes[number].stage, number))
    replays = Replays(run)
    return [replays.share(number) for number in order]


def _scores(rows: tuple[SimulatedRow, ...]) -> tuple[float, float]:
    return score(rows), expected_score(rows)


SHARED_OUT = 5
"""With more causes than this the points are not shared out: the replays double with every cause."""


def truth_of(scenario: Scenario) -> Json:
    """The planted causes with the rows they changed, and the score with and without each of them.

    `points` shares the whole change out over the causes, so that they add up (every order of planting counts alike).
    `expected` says what many reruns would show on average; it knows nothing of causes that pick rows by their outcome.
    """
    run = make_run(scenario)
    settings = asdict(scenario) | {"causes": [cause.name for cause in scenario.causes]}
    order = sorted(range(len(scenario.causes)), key=lambda number: (scenario.causes[number].stage, number))
    without = Replays(run)
    everyone = frozenset(order)
    return {
        "scenario": settings,
        "score": score(run.rows),
        "score_clean": score(run.clean),
        "expected": expected_score(run.rows),
        "expected_clean": expected_score(run.clean),
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
                "score_without": without.score(everyone - {number})[0],
                "points": without.share(number)[0] if len(order) <= SHARED_OUT else None,
                "expected": without.share(number)[1] if len(order) <= SHARED_OUT else None,
            }
            for number, planted in zip(order, run.planted, strict=True)
        ],
    }
