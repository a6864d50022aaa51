"""The lines of the file stand in another order: a decoy, every row is the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

__all__ = ["CAUSE", "ShuffledRows"]


@dataclass(frozen=True, slots=True)
class ShuffledRows:
    """All rows of the run, in any order."""

    name: ClassVar[str] = "shuffled_rows"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, scene: CauseContext) -> Edit:
        return Edit(tuple(scene.rng.sample(scene.rows, len(scene.rows))))


CAUSE = ShuffledRows
