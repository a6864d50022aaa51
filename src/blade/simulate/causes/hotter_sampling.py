"""The model is sampled hotter: less sure of what it knows, luckier with what it does not know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import chance

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "HotterSampling"]

STEPS = 40


@dataclass(frozen=True, slots=True)
class HotterSampling:
    """Temperature times `factor`. The mean of the pass probabilities falls by `loss` and by nothing else."""

    factor: float = 3.0
    loss: float = 0.0
    name: ClassVar[str] = "hotter_sampling"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        skill = self._skill(scene)

        def hotter(row: SimulatedRow) -> SimulatedRow:
            heat = row.behaviour.temperature * self.factor
            return scene.replay(row, replace(row.behaviour, temperature=heat, skill=skill))

        before = {row.index: row.outlook for row in scene.rows}
        rows = scene.edit(lambda _: True, hotter)
        moved = {row.index: abs(row.outlook - before[row.index]) for row in rows}
        spread = sum(moved.values()) / len(moved)
        return Edit(rows, {"temperature_factor": self.factor, "mean_move": spread})

    def _skill(self, scene: CauseContext) -> float:
        """The skill at which the hot model reaches the wanted mean: found by halving."""
        tasks = {row.index: row for row in scene.rows}.values()

        def mean(skill: float, factor: float) -> float:
            odds = [chance(skill, row.task.hardness, row.behaviour.temperature * factor) for row in tasks]
            return sum(odds) / len(odds)

        target = mean(scene.scenario.skill, 1.0) - self.loss
        low, high = -3.0, 4.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if mean(middle, self.factor) < target else (low, middle)
        return (low + high) / 2


CAUSE = HotterSampling
