"""What really happened in a simulated run: the planted causes and what each did to the score."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from blade.simulate.rng import chance
from blade.simulate.run import expected_score, make_run, score
from blade.simulate.shares import Replays

if TYPE_CHECKING:
    from blade.simulate.scenario import Json, Scenario

__all__ = ["truth_of"]

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
