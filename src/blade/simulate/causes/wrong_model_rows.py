"""Some rows come from another model, with its name on them or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "WrongModelRows"]


@dataclass(frozen=True, slots=True)
class WrongModelRows:
    """`share` of the rows; with `keep_name` the response still claims to be from the run's own model."""

    share: float = 0.2
    model: str = "sim-other"
    skill: float = 0.3
    keep_name: bool = False
    id_form: str = "resp_"
    """How response ids of the other model begin: a trace that a hidden name may leave."""
    name: ClassVar[str] = "wrong_model_rows"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def foreign(row: SimulatedRow) -> SimulatedRow:
            model_name = row.behaviour.model if self.keep_name else ""
            behaviour = replace(row.behaviour, model=self.model, skill=self.skill, id_form=self.id_form)
            return scene.replay(row, replace(behaviour, shown_model=model_name))

        return Edit(scene.edit(lambda _: roll(scene.rng, self.share), foreign), {"model": self.model})


CAUSE = WrongModelRows
