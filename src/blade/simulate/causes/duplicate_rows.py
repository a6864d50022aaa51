"""Some rows stand in the file twice, as after a careless merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "DuplicateRows"]


@dataclass(frozen=True, slots=True)
class DuplicateRows:
    """`share` of the rows of the main file, passes only where `passes_only`; the copies stand at the end."""

    share: float = 0.1
    passes_only: bool = False
    name: ClassVar[str] = "duplicate_rows"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, scene: CauseContext) -> Edit:
        def copied(row: SimulatedRow) -> bool:
            may_copy = row.place == "main" and (row.reward > 0 or not self.passes_only)
            return roll(scene.rng, self.share) and may_copy

        return Edit((*scene.rows, *(row for row in scene.rows if copied(row))))


CAUSE = DuplicateRows
