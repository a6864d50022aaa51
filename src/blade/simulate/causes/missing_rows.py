"""Rows that never arrived: at random, the long ones first, or the failing ones first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "MissingRows"]


@dataclass(frozen=True, slots=True)
class MissingRows:
    """`share` of all rows; by `length` the chance rises with the rank of the row's output tokens.

    By `failure` a failing row is lost four times as often as a passing one.
    """

    share: float = 0.15
    by: Literal["random", "length", "failure"] = "random"
    name: ClassVar[str] = "missing_rows"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, scene: CauseContext) -> Edit:
        ordered = sorted(scene.rows, key=lambda row: (row.transcript.output_tokens, row.index, row.attempt))
        rank = {row.key: number / len(ordered) for number, row in enumerate(ordered)}

        def is_missing(row: SimulatedRow) -> bool:
            weights = {"random": 1.0, "length": 3 * rank[row.key] ** 2, "failure": 0.4 if row.reward > 0 else 1.6}
            return roll(scene.rng, self.share * weights[self.by])

        return Edit(scene.edit(is_missing, lambda row: replace(row, place="nowhere")), {"by": self.by})


CAUSE = MissingRows
