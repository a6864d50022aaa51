"""Shares a run's whole change of score out over its causes, so that the parts add up whatever the order."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from blade.simulate.run import SimulatedRun, expected_score, plant, score

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["Replays", "shared_out"]


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
