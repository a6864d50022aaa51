"""Whole tasks that never ran, though they were expected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

__all__ = ["CAUSE", "MissingTasks"]


@dataclass(frozen=True, slots=True)
class MissingTasks:
    """`share` of the tasks, at least one: the hardest, or any."""

    share: float = 0.15
    hardest: bool = True
    name: ClassVar[str] = "missing_tasks"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, scene: CauseContext) -> Edit:
        hardness = {row.index: row.task.hardness for row in scene.rows}
        count = max(1, round(self.share * len(hardness)))
        order = sorted(hardness, key=lambda index: (-hardness[index], index))
        missing = set(order[:count]) if self.hardest else set(scene.rng.sample(sorted(hardness), count))
        rows = scene.edit(lambda row: row.index in missing, lambda row: replace(row, place="nowhere"))
        return Edit(rows, {"tasks": sorted(missing)})


CAUSE = MissingTasks
