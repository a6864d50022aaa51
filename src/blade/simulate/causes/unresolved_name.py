"""A name is never looked up in the directory, so a guessed address finds no record or the wrong ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "UnresolvedName"]


@dataclass(frozen=True, slots=True)
class UnresolvedName:
    """`share` of the attempts at tasks that name staff; `wording` (0 to 2) is the manner they do it in."""

    share: float = 0.5
    wording: int = 0
    name: ClassVar[str] = "unresolved_name"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            return roll(scene.rng, self.share) and "unresolved_name" in row.task.mistakes

        def change(row: SimulatedRow) -> SimulatedRow:
            return scene.replay(row, replace(row.behaviour, mistake="unresolved_name", wording=self.wording))

        rows = scene.edit(hit, change)
        return Edit(
            rows, {"tasks": sorted({row.index for row in scene.rows if "unresolved_name" in row.task.mistakes})}
        )


CAUSE = UnresolvedName
