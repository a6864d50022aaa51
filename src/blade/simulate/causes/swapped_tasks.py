"""Part of the task set was replaced: other tasks stand where some of the old ones stood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow, SimulatedTask

__all__ = ["CAUSE", "SwappedTasks"]

BEYOND = 600_000
"""New tasks come from this far down the seed's endless list, so no run has them by chance."""


@dataclass(frozen=True, slots=True)
class SwappedTasks:
    """`share` of the tasks, at least one; the new ones are `harder` by so much (easier if below 0)."""

    share: float = 0.25
    harder: float = 0.0
    name: ClassVar[str] = "swapped_tasks"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        old = {row.index: row.task for row in scene.rows}
        removed = scene.rng.sample(sorted(old), max(1, round(self.share * len(old))))
        new = {index: self.instead_of(scene, old[index]) for index in removed}

        def swapped(row: SimulatedRow) -> SimulatedRow:
            return scene.replay(replace(row, task=new[row.index]), row.behaviour)

        names = {
            "removed": sorted(old[index].task_id for index in removed),
            "added": sorted(new[index].task_id for index in removed),
        }
        return Edit(scene.edit(lambda row: row.index in new, swapped), {"tasks": sorted(removed), **names})

    def instead_of(self, scene: CauseContext, task: SimulatedTask) -> SimulatedTask:
        """A task of the same kind whose hardness is that of the old one plus the shift."""
        new = scene.benchmark.task(scene.scenario.seed, BEYOND + task.number)
        return replace(new, hardness=task.hardness + self.harder)


CAUSE = SwappedTasks
