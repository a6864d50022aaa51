"""Rows that never arrived: at random, or the long ones first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from blade.simulate.dice import roll
from blade.simulate.scene import Edit, Scene, Stage

if TYPE_CHECKING:
    from blade.simulate.scenario import Row

__all__ = ["CAUSE", "MissingRows"]


@dataclass(frozen=True, slots=True)
class MissingRows:
    """`share` of all rows; by `length` the chance rises with the rank of the row's output tokens."""

    share: float = 0.15
    by: Literal["random", "length"] = "random"
    name: ClassVar[str] = "missing_rows"
    stage: ClassVar[Stage] = Stage.ROWS

    def plant(self, scene: Scene) -> Edit:
        ordered = sorted(scene.rows, key=lambda row: (row.transcript.output_tokens, row.index, row.attempt))
        rank = {row.key: number / len(ordered) for number, row in enumerate(ordered)}

        def lost(row: Row) -> bool:
            weight = 3 * rank[row.key] ** 2 if self.by == "length" else 1.0
            return roll(scene.rng, self.share * weight)

        return Edit(scene.edit(lost, lambda row: replace(row, place="nowhere")), {"by": self.by})


CAUSE = MissingRows
