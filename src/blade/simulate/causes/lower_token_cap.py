"""The token cap of a model call was lowered: long replies are cut, and verified as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from blade.simulate.scene import Edit, Scene, Stage

__all__ = ["CAUSE", "LowerTokenCap"]


@dataclass(frozen=True, slots=True)
class LowerTokenCap:
    """`cap` output tokens for each model call, on every row of the run."""

    cap: int = 160
    name: ClassVar[str] = "lower_token_cap"
    stage: ClassVar[Stage] = Stage.BEHAVIOUR

    def plant(self, scene: Scene) -> Edit:
        rows = scene.edit(lambda _: True, lambda row: scene.replay(row, replace(row.behaviour, token_cap=self.cap)))
        return Edit(rows, {"max_output_tokens": self.cap})


CAUSE = LowerTokenCap
