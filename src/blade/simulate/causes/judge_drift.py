"""From some date on the judge is stricter: borderline passes fail, whatever their category."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import chance, roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "JudgeDrift"]

BORDER = (0.1, 0.97)


@dataclass(frozen=True, slots=True)
class JudgeDrift:
    """`share` of the rows of borderline tasks get 0 after `start` of the run's duration; outputs stay."""

    share: float = 0.5
    start: float = 0.4
    name: ClassVar[str] = "judge_drift"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, scene: CauseContext) -> Edit:
        since = scene.moment(self.start)

        def hit(row: SimulatedRow) -> bool:
            odds = chance(scene.scenario.skill, row.task.hardness, scene.scenario.temperature)
            return roll(scene.rng, self.share) and BORDER[0] <= odds <= BORDER[1] and row.finished >= since

        rows = scene.edit(hit, lambda row: replace(row, verdict={**row.verdict, "reward": 0.0}, outlook=0.0))
        return Edit(rows, {"since": since})


CAUSE = JudgeDrift
