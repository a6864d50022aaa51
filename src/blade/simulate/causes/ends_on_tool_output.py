"""The same look-up again and again, until the step limit ends the attempt on a tool's answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "EndsOnToolOutput"]


@dataclass(frozen=True, slots=True)
class EndsOnToolOutput:
    """`share` of the attempts at tasks that have tools."""

    share: float = 0.5
    name: ClassVar[str] = "ends_on_tool_output"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            return roll(scene.rng, self.share) and "loop" in row.task.mistakes

        rows = scene.edit(hit, lambda row: scene.replay(row, replace(row.behaviour, mistake="loop")))
        return Edit(rows, {"tasks": sorted({row.index for row in scene.rows if "loop" in row.task.mistakes})})


CAUSE = EndsOnToolOutput
