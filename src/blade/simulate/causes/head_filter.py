"""Days are filtered in the model's head instead of in the query, and a record on the edge is dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "HeadFilter"]


@dataclass(frozen=True, slots=True)
class HeadFilter:
    """`share` of the attempts at tasks that ask for a span of days; `wording` (0 to 2) is the manner they do it in."""

    share: float = 0.5
    wording: int = 0
    name: ClassVar[str] = "head_filter"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            return roll(scene.rng, self.share) and "head_filter" in row.task.mistakes

        def change(row: SimulatedRow) -> SimulatedRow:
            return scene.replay(row, replace(row.behaviour, mistake="head_filter", wording=self.wording))

        rows = scene.edit(hit, change)
        return Edit(rows, {"tasks": sorted({row.index for row in scene.rows if "head_filter" in row.task.mistakes})})


CAUSE = HeadFilter
