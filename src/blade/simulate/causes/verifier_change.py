"""The verifier changed its mind about one category: the same output, another reward."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "VerifierChange"]


@dataclass(frozen=True, slots=True)
class VerifierChange:
    """`share` of the category's rows that do not already have the reward `to`, from `start` of the run on."""

    category: str = "billing"
    share: float = 0.8
    to: float = 0.0
    start: float = 0.0
    name: ClassVar[str] = "verifier_change"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, scene: CauseContext) -> Edit:
        since = scene.moment(self.start)

        def hit(row: SimulatedRow) -> bool:
            return roll(scene.rng, self.share) and row.task.category == self.category and row.finished >= since

        rows = scene.edit(hit, lambda row: replace(row, verdict={**row.verdict, "reward": self.to}, outlook=self.to))
        return Edit(rows, {"category": self.category, "since": since})


CAUSE = VerifierChange
