"""Causes in the rows: copies, losses and other orders of what was done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from blade.frozen import frozen
from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import roll

if TYPE_CHECKING:
    from blade.simulate.simulated_row import SimulatedRow


@frozen
class DuplicateRows:
    """Some rows stand in the file twice, as after a careless merge.

    `share` of the rows of the main file, passes only where `passes_only`; the copies stand at the end.
    """

    share: float = 0.1
    passes_only: bool = False
    name: ClassVar[str] = "duplicate_rows"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, context: CauseContext) -> Edit:
        def copied(row: SimulatedRow) -> bool:
            may_copy = row.place == "main" and (row.reward > 0 or not self.passes_only)
            return roll(context.rng, self.share) and may_copy

        return Edit((*context.rows, *(row for row in context.rows if copied(row))))


@frozen
class MissingRows:
    """Rows that never arrived: at random, the long ones first, or the failing ones first.

    `share` of all rows; by `length` the chance rises with the rank of the row's output tokens.

    By `failure` a failing row is lost four times as often as a passing one.
    """

    share: float = 0.15
    by: Literal["random", "length", "failure"] = "random"
    name: ClassVar[str] = "missing_rows"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, context: CauseContext) -> Edit:
        ordered = sorted(context.rows, key=lambda row: (row.transcript.output_tokens, row.index, row.attempt))
        rank = {row.key: number / len(ordered) for number, row in enumerate(ordered)}

        def is_missing(row: SimulatedRow) -> bool:
            weights = {"random": 1.0, "length": 3 * rank[row.key] ** 2, "failure": 0.4 if row.reward > 0 else 1.6}
            return roll(context.rng, self.share * weights[self.by])

        return Edit(context.edit(is_missing, lambda row: replace(row, place="nowhere")), {"by": self.by})


@frozen
class MissingTasks:
    """Whole tasks that never ran, though they were expected.

    `share` of the tasks, at least one: the hardest, or any.
    """

    share: float = 0.15
    hardest: bool = True
    name: ClassVar[str] = "missing_tasks"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, context: CauseContext) -> Edit:
        hardness = {row.index: row.task.hardness for row in context.rows}
        count = max(1, round(self.share * len(hardness)))
        order = sorted(hardness, key=lambda index: (-hardness[index], index))
        missing = set(order[:count]) if self.hardest else set(context.rng.sample(sorted(hardness), count))
        rows = context.edit(lambda row: row.index in missing, lambda row: replace(row, place="nowhere"))
        return Edit(rows, {"tasks": sorted(missing)})


@frozen
class ShuffledRows:
    """The lines of the file stand in another order: a decoy, every row is the same.

    All rows of the run, in any order.
    """

    name: ClassVar[str] = "shuffled_rows"
    stage: ClassVar[CauseStage] = CauseStage.ROWS

    def plant(self, context: CauseContext) -> Edit:
        return Edit(tuple(context.rng.sample(context.rows, len(context.rows))))


CAUSES = (
    DuplicateRows,
    MissingRows,
    MissingTasks,
    ShuffledRows,
)
