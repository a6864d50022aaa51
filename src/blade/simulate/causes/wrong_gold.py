"""Some tasks carry a wrong reference answer, so right replies fail."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from blade.simulate.cause_context import CauseContext, CauseStage, Edit

if TYPE_CHECKING:
    from blade.simulate.scenario import SimulatedRow

__all__ = ["CAUSE", "WrongGold"]


@dataclass(frozen=True, slots=True)
class WrongGold:
    """`share` of the tasks that have an `expected_answer`, at least one: each gets the answer of another task."""

    share: float = 0.1
    name: ClassVar[str] = "wrong_gold"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, scene: CauseContext) -> Edit:
        gold = {
            row.index: row.task.given["expected_answer"] for row in scene.rows if "expected_answer" in row.task.given
        }
        if not gold:
            return Edit(scene.rows, {"tasks": []})
        wrong = {}
        for index in scene.rng.sample(sorted(gold), max(1, round(self.share * len(gold)))):
            wrong[index] = scene.rng.choice(sorted({answer for answer in gold.values() if answer != gold[index]}))

        def regraded(row: SimulatedRow) -> SimulatedRow:
            task = replace(row.task, given={**row.task.given, "expected_answer": wrong[row.index]})
            verdict = scene.benchmark.verify(task, row.transcript.items)
            return replace(row, task=task, verdict=verdict, outlook=0.0)

        return Edit(scene.edit(lambda row: row.index in wrong, regraded), {"tasks": sorted(wrong)})


CAUSE = WrongGold
