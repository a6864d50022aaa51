"""Many metadata fields that mean nothing: a decoy, among so many slices one looks bad by chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import dice

if TYPE_CHECKING:
    from blade.simulate.scenario import Json, SimulatedRow, SimulatedTask

__all__ = ["CAUSE", "ExtraSlices"]

NAMES = tuple("region source author batch topic format origin theme season shelf wave track".split())


@dataclass(frozen=True, slots=True)
class ExtraSlices:
    """`fields` of them with `levels` each. The levels depend on the task alone, so two runs agree on them."""

    fields: int = 10
    levels: int = 20
    name: ClassVar[str] = "extra_slices"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, scene: CauseContext) -> Edit:
        def tagged(row: SimulatedRow) -> SimulatedRow:
            tags = self._tags(scene.scenario.seed, row.task)
            task = replace(row.task, given={**row.task.given, **tags})
            return replace(row, task=task, verdict={**row.verdict, **tags})

        return Edit(scene.edit(lambda _: True, tagged))

    def _tags(self, seed: int, task: SimulatedTask) -> Json:
        rng = dice("extra slices", seed, task.number)
        return {name: f"{name}-{rng.randrange(self.levels):02d}" for name in NAMES[: self.fields]}


CAUSE = ExtraSlices
