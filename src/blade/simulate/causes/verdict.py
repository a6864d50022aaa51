"""Causes in the verdict: the same work is judged, keyed or labelled differently."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from blade.frozen import frozen
from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.rng import chance, dice, roll

if TYPE_CHECKING:
    from blade.simulate.simulated_row import Json, SimulatedRow, SimulatedTask

NAMES = tuple("region source author batch topic format origin theme season shelf wave track".split())
BORDER = (0.1, 0.97)


@frozen
class ExtraSlices:
    """Many metadata fields that mean nothing: a decoy, among so many slices one looks bad by chance.

    `fields` of them with `levels` each. The levels depend on the task alone, so two runs agree on them.
    """

    fields: int = 10
    levels: int = 20
    name: ClassVar[str] = "extra_slices"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, context: CauseContext) -> Edit:
        def tagged(row: SimulatedRow) -> SimulatedRow:
            tags = self._tags(context.scenario.seed, row.task)
            task = replace(row.task, given={**row.task.given, **tags})
            return replace(row, task=task, verdict={**row.verdict, **tags})

        return Edit(context.edit(lambda _: True, tagged))

    def _tags(self, seed: int, task: SimulatedTask) -> Json:
        rng = dice("extra slices", seed, task.number)
        return {name: f"{name}-{rng.randrange(self.levels):02d}" for name in NAMES[: self.fields]}


@frozen
class JudgeDrift:
    """From some date on the judge is stricter: borderline passes fail, whatever their category.

    `share` of the rows of borderline tasks get 0 after `start` of the run's duration; outputs stay.
    """

    share: float = 0.5
    start: float = 0.4
    name: ClassVar[str] = "judge_drift"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, context: CauseContext) -> Edit:
        since = context.moment(self.start)

        def hit(row: SimulatedRow) -> bool:
            odds = chance(context.scenario.skill, row.task.hardness, context.scenario.temperature)
            return roll(context.rng, self.share) and BORDER[0] <= odds <= BORDER[1] and row.finished >= since

        rows = context.edit(hit, lambda row: replace(row, verdict={**row.verdict, "reward": 0.0}, outlook=0.0))
        return Edit(rows, {"since": since})


@frozen
class RenamedLevels:
    """The levels of a metadata field have new names: a decoy, the tasks are the same.

    Every value of `field` gets `prefix` in front, in the rows and in the materialized inputs.
    """

    field: str = "category"
    prefix: str = "v2-"
    name: ClassVar[str] = "renamed_levels"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, context: CauseContext) -> Edit:
        def renamed(row: SimulatedRow) -> SimulatedRow:
            level = f"{self.prefix}{row.task.given[self.field]}"
            task = replace(row.task, given={**row.task.given, self.field: level})
            return replace(row, task=task, verdict={**row.verdict, self.field: level})

        return Edit(context.edit(lambda row: self.field in row.task.given, renamed), {"field": self.field})


@frozen
class RewardRescaled:
    """Rewards are written on another scale.

    Every reward becomes `scale` times itself plus `shift`.
    """

    scale: float = 100.0
    shift: float = 0.0
    name: ClassVar[str] = "reward_rescaled"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, context: CauseContext) -> Edit:
        def rescaled(row: SimulatedRow) -> SimulatedRow:
            ahead = self.scale * row.outlook + self.shift
            return replace(row, verdict={**row.verdict, "reward": self.scale * row.reward + self.shift}, outlook=ahead)

        return Edit(context.edit(lambda _: True, rescaled), {"scale": self.scale, "shift": self.shift})


@frozen
class VerifierChange:
    """The verifier changed its mind about one category: the same output, another reward.

    `share` of the category's rows that do not already have the reward `to`, from `start` of the run on.
    """

    category: str = "billing"
    share: float = 0.8
    to: float = 0.0
    start: float = 0.0
    name: ClassVar[str] = "verifier_change"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, context: CauseContext) -> Edit:
        since = context.moment(self.start)

        def hit(row: SimulatedRow) -> bool:
            return roll(context.rng, self.share) and row.task.category == self.category and row.finished >= since

        rows = context.edit(hit, lambda row: replace(row, verdict={**row.verdict, "reward": self.to}, outlook=self.to))
        return Edit(rows, {"category": self.category, "since": since})


@frozen
class WrongGold:
    """Some tasks carry a wrong reference answer, so right replies fail.

    `share` of the tasks that have an `expected_answer`, at least one: each gets the answer of another task.
    """

    share: float = 0.1
    name: ClassVar[str] = "wrong_gold"
    stage: ClassVar[CauseStage] = CauseStage.VERDICT

    def plant(self, context: CauseContext) -> Edit:
        gold = {
            row.index: row.task.given["expected_answer"] for row in context.rows if "expected_answer" in row.task.given
        }
        if not gold:
            return Edit(context.rows, {"tasks": []})
        wrong = {}
        for index in context.rng.sample(sorted(gold), max(1, round(self.share * len(gold)))):
            wrong[index] = context.rng.choice(sorted({answer for answer in gold.values() if answer != gold[index]}))

        def regraded(row: SimulatedRow) -> SimulatedRow:
            task = replace(row.task, given={**row.task.given, "expected_answer": wrong[row.index]})
            verdict = context.benchmark.verify(task, row.transcript.items)
            return replace(row, task=task, verdict=verdict, outlook=0.0)

        return Edit(context.edit(lambda row: row.index in wrong, regraded), {"tasks": sorted(wrong)})


CAUSES = (
    ExtraSlices,
    JudgeDrift,
    RenamedLevels,
    RewardRescaled,
    VerifierChange,
    WrongGold,
)
