"""The token cap of a model call was lowered: long replies are cut, and verified as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "LowerTokenCap"]


@dataclass(frozen=True, slots=True)
class LowerTokenCap:
    """`cap` output tokens for each model call, on every row of the run."""

    cap: int = 160
    name: ClassVar[str] = "lower_token_cap"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, scene: CauseContext) -> Edit:
        def capped(row: SimulatedRow) -> SimulatedRow:
            """Only a row that wrote more than the cap can be cut: the others need not be played again."""
            behaviour = replace(row.behaviour, token_cap=self.cap)
            if row.transcript.output_tokens > self.cap:
                return scene.replay(row, behaviour)
            return replace(row, behaviour=behaviour)

        rows = scene.edit(lambda _: True, capped)
        return Edit(rows, {"max_output_tokens": self.cap})


CAUSE = LowerTokenCap
