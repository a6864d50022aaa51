"""The levels of a metadata field have new names: a decoy, the tasks are the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "RenamedLevels"]


@dataclass(frozen=True, slots=True)
class RenamedLevels:
    """Every value of `field` gets `prefix` in front, in the rows and in the materialized inputs."""

    field: str = "category"
    prefix: str = "v2-"
    name: ClassVar[str] = "renamed_levels"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, scene: CauseContext) -> Edit:
        def renamed(row: SimulatedRow) -> SimulatedRow:
            level = f"{self.prefix}{row.task.given[self.field]}"
            task = replace(row.task, given={**row.task.given, self.field: level})
            return replace(row, task=task, verdict={**row.verdict, self.field: level})

        return Edit(scene.edit(lambda row: self.field in row.task.given, renamed), {"field": self.field})


CAUSE = RenamedLevels
