"""The model got worse at one category and at nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "SliceRegression"]


@dataclass(frozen=True, slots=True)
class SliceRegression:
    """`loss` is taken from the model's skill on tasks of this category; a negative loss is a gain."""

    category: str = "scheduling"
    loss: float = 0.3
    name: ClassVar[str] = "slice_regression"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def weaker(row: SimulatedRow) -> SimulatedRow:
            return scene.replay(row, replace(row.behaviour, skill=row.behaviour.skill - self.loss))

        return Edit(scene.edit(lambda row: row.task.category == self.category, weaker), {"category": self.category})


CAUSE = SliceRegression
