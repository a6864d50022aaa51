"""Rewards are written on another scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "RewardRescaled"]


@dataclass(frozen=True, slots=True)
class RewardRescaled:
    """Every reward becomes `scale` times itself plus `shift`."""

    scale: float = 100.0
    shift: float = 0.0
    name: ClassVar[str] = "reward_rescaled"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, scene: CauseContext) -> Edit:
        def rescaled(row: SimulatedRow) -> SimulatedRow:
            ahead = self.scale * row.outlook + self.shift
            return replace(row, verdict={**row.verdict, "reward": self.scale * row.reward + self.shift}, outlook=ahead)

        return Edit(scene.edit(lambda _: True, rescaled), {"scale": self.scale, "shift": self.shift})


CAUSE = RewardRescaled
