"""The model stops writing its answer in the form that was asked for; the answer itself is as good as before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "LostFormat"]


@dataclass(frozen=True, slots=True)
class LostFormat:
    """`share` of the rows: no tag, no code block, or tool calls written as text; any rows, or the long ones first."""

    share: float = 0.15
    by: Literal["random", "length"] = "random"
    name: ClassVar[str] = "lost_format"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        ordered = sorted(scene.rows, key=lambda row: (row.transcript.output_tokens, row.index, row.attempt))
        rank = {row.key: number / len(ordered) for number, row in enumerate(ordered)}

        def hit(row: SimulatedRow) -> bool:
            weight = 2 * rank[row.key] if self.by == "length" else 1.0
            return roll(scene.rng, self.share * weight)

        rows = scene.edit(
            hit,
            lambda row: scene.replay(row, replace(row.behaviour, keeps_format=False)),
        )
        return Edit(rows, {"rows": self.by})


CAUSE = LostFormat
