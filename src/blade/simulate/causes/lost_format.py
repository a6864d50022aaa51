"""The model stops writing its answer in the form that was asked for; the answer itself is as good as before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from blade.simulate.dice import roll
from blade.simulate.scene import Edit, Scene, Stage

__all__ = ["CAUSE", "LostFormat"]


@dataclass(frozen=True, slots=True)
class LostFormat:
    """`share` of the rows: no tag, no code block, or tool calls written as text."""

    share: float = 0.15
    name: ClassVar[str] = "lost_format"
    stage: ClassVar[Stage] = Stage.BEHAVIOUR

    def plant(self, scene: Scene) -> Edit:
        rows = scene.edit(
            lambda _: roll(scene.rng, self.share),
            lambda row: scene.replay(row, replace(row.behaviour, keeps_format=False)),
        )
        return Edit(rows)


CAUSE = LostFormat
