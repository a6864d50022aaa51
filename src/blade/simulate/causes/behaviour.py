"""Causes in the model: other skill, sampling, tools or limits change what it does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from blade.frozen import frozen
from blade.simulate.cause_context import CauseContext, CauseStage, Edit
from blade.simulate.error_texts import filled
from blade.simulate.prose import musing
from blade.simulate.rng import chance, dice, roll
from blade.simulate.transcript_writer import tokens

if TYPE_CHECKING:
    from blade.simulate.simulated_row import SimulatedRow, SimulatedTask

STEPS = 40
BEYOND = 600_000
"""New tasks come from this far down the seed's endless list, so no run has them by chance."""


@frozen
class BrokenToolCause:
    """From some time on one tool answers every call with an error.

    `start` is the share of the run's duration after which the tool is broken.
    """

    tool: str = "bookings_search"
    start: float = 0.5
    message: str = "Error: the query names a column that no longer exists."
    name: ClassVar[str] = "broken_tool"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        since = context.moment(self.start)
        users = {row.index for row in context.rows if self._calls(row)}

        def late(row: SimulatedRow) -> bool:
            return row.finished >= since and row.index in users

        def broken(row: SimulatedRow) -> SimulatedRow:
            """No attempt at these tasks can pass any more; one that never called the tool reads as before."""
            if not self._calls(row):
                return replace(row, outlook=0.0)
            error_text = filled(self.message, dice("error text", context.scenario.seed, row.key))
            worse = context.replay(row, replace(row.behaviour, broken_tool=self.tool, tool_error=error_text))
            return replace(worse, outlook=0.0)

        return Edit(context.edit(late, broken), {"tool": self.tool, "since": since, "message": self.message})

    def _calls(self, row: SimulatedRow) -> bool:
        return any(item.get("name") == self.tool for item in row.transcript.items)


@frozen
class EndsOnToolOutput:
    """The same look-up again and again, until the step limit ends the attempt on a tool's answer.

    `share` of the attempts at tasks that have tools.
    """

    share: float = 0.5
    name: ClassVar[str] = "ends_on_tool_output"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            return roll(context.rng, self.share) and "loop" in row.task.mistakes

        rows = context.edit(hit, lambda row: context.replay(row, replace(row.behaviour, mistake="loop")))
        return Edit(rows, {"tasks": sorted({row.index for row in context.rows if "loop" in row.task.mistakes})})


@frozen
class HeadFilter:
    """Days are filtered in the model's head instead of in the query, and a record on the edge is dropped.

    `share` of the attempts at tasks that ask for a span of days; `wording` (0 to 2) is the manner they do it in.
    """

    share: float = 0.5
    wording: int = 0
    name: ClassVar[str] = "head_filter"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            return roll(context.rng, self.share) and "head_filter" in row.task.mistakes

        def change(row: SimulatedRow) -> SimulatedRow:
            return context.replay(row, replace(row.behaviour, mistake="head_filter", wording=self.wording))

        rows = context.edit(hit, change)
        return Edit(rows, {"tasks": sorted({row.index for row in context.rows if "head_filter" in row.task.mistakes})})


@frozen
class HotterSampling:
    """The model is sampled hotter: less sure of what it knows, luckier with what it does not know.

    Temperature times `factor`. The mean of the pass probabilities falls by `loss` and by nothing else.
    """

    factor: float = 3.0
    loss: float = 0.0
    name: ClassVar[str] = "hotter_sampling"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        skill = self._skill(context)

        def hotter(row: SimulatedRow) -> SimulatedRow:
            heat = row.behaviour.temperature * self.factor
            return context.replay(row, replace(row.behaviour, temperature=heat, skill=skill))

        before = {row.index: row.outlook for row in context.rows}
        rows = context.edit(lambda _: True, hotter)
        moved = {row.index: abs(row.outlook - before[row.index]) for row in rows}
        spread = sum(moved.values()) / len(moved)
        return Edit(rows, {"temperature_factor": self.factor, "mean_move": spread})

    def _skill(self, context: CauseContext) -> float:
        """The skill at which the hot model reaches the wanted mean: found by halving."""
        tasks = {row.index: row for row in context.rows}.values()

        def mean(skill: float, factor: float) -> float:
            odds = [chance(skill, row.task.hardness, row.behaviour.temperature * factor) for row in tasks]
            return sum(odds) / len(odds)

        target = mean(context.scenario.skill, 1.0) - self.loss
        low, high = -3.0, 4.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if mean(middle, self.factor) < target else (low, middle)
        return (low + high) / 2


@frozen
class LongerOutputs:
    """The model thinks aloud at greater length, to the same end: a decoy, no reward changes.

    About `sentences` more in every row, as one more piece of thinking at the front.
    """

    sentences: int = 6
    name: ClassVar[str] = "longer_outputs"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def longer(row: SimulatedRow) -> SimulatedRow:
            rng = dice("longer", context.scenario.seed, context.scenario.dice, row.key)
            text = musing(rng, max(1, round(self.sentences * rng.uniform(0.6, 1.4))))
            body = {"summary": [{"text": text, "type": "summary_text"}], "type": "reasoning"}
            item = {"id": f"rs_{rng.getrandbits(64):016x}", **body, "encrypted_content": None, "content": None}
            was = row.transcript
            return replace(
                row,
                transcript=replace(
                    was,
                    items=(item, *was.items),
                    output_tokens=was.output_tokens + tokens(text),
                    reasoning_tokens=was.reasoning_tokens + tokens(text),
                ),
            )

        return Edit(context.edit(lambda row: not row.transcript.cut, longer))


@frozen
class LostFormat:
    """The model stops writing its answer in the form that was asked for; the answer itself is as good as before.

    `share` of the rows: no tag, no code block, or tool calls written as text; any rows, or the long ones first.
    """

    share: float = 0.15
    by: Literal["random", "length"] = "random"
    name: ClassVar[str] = "lost_format"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        ordered = sorted(context.rows, key=lambda row: (row.transcript.output_tokens, row.index, row.attempt))
        rank = {row.key: number / len(ordered) for number, row in enumerate(ordered)}

        def hit(row: SimulatedRow) -> bool:
            weight = 2 * rank[row.key] if self.by == "length" else 1.0
            return roll(context.rng, self.share * weight)

        rows = context.edit(
            hit,
            lambda row: context.replay(row, replace(row.behaviour, keeps_format=False)),
        )
        return Edit(rows, {"rows": self.by})


@frozen
class LowerTokenCap:
    """The token cap of a model call was lowered: long replies are cut, and verified as they are.

    `cap` output tokens for each model call, on every row of the run.
    """

    cap: int = 160
    name: ClassVar[str] = "lower_token_cap"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def capped(row: SimulatedRow) -> SimulatedRow:
            """Only a row that wrote more than the cap can be cut: the others need not be played again."""
            behaviour = replace(row.behaviour, token_cap=self.cap)
            if row.transcript.output_tokens > self.cap:
                return context.replay(row, behaviour)
            return replace(row, behaviour=behaviour)

        rows = context.edit(lambda _: True, capped)
        return Edit(rows, {"max_output_tokens": self.cap})


@frozen
class SliceRegression:
    """The model got worse at one category and at nothing else.

    `loss` is taken from the model's skill on tasks of this category; a negative loss is a gain.
    """

    category: str = "scheduling"
    loss: float = 0.3
    name: ClassVar[str] = "slice_regression"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def weaker(row: SimulatedRow) -> SimulatedRow:
            return context.replay(row, replace(row.behaviour, skill=row.behaviour.skill - self.loss))

        return Edit(context.edit(lambda row: row.task.category == self.category, weaker), {"category": self.category})


@frozen
class SwappedTasks:
    """Part of the task set was replaced: other tasks stand where some of the old ones stood.

    `share` of the tasks, at least one; the new ones are `harder` by so much (easier if below 0).
    """

    share: float = 0.25
    harder: float = 0.0
    name: ClassVar[str] = "swapped_tasks"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        old = {row.index: row.task for row in context.rows}
        removed = context.rng.sample(sorted(old), max(1, round(self.share * len(old))))
        new = {index: self.instead_of(context, old[index]) for index in removed}

        def swapped(row: SimulatedRow) -> SimulatedRow:
            return context.replay(replace(row, task=new[row.index]), row.behaviour)

        names = {
            "removed": sorted(old[index].task_id for index in removed),
            "added": sorted(new[index].task_id for index in removed),
        }
        return Edit(context.edit(lambda row: row.index in new, swapped), {"tasks": sorted(removed), **names})

    def instead_of(self, context: CauseContext, task: SimulatedTask) -> SimulatedTask:
        """A task of the same kind whose hardness is that of the old one plus the shift."""
        new = context.benchmark.task(context.scenario.seed, BEYOND + task.number)
        return replace(new, hardness=task.hardness + self.harder)


@frozen
class UnresolvedName:
    """A name is never looked up in the directory, so a guessed address finds no record or the wrong ones.

    `share` of the attempts at tasks that name staff; `wording` (0 to 2) is the manner they do it in.
    """

    share: float = 0.5
    wording: int = 0
    name: ClassVar[str] = "unresolved_name"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def hit(row: SimulatedRow) -> bool:
            return roll(context.rng, self.share) and "unresolved_name" in row.task.mistakes

        def change(row: SimulatedRow) -> SimulatedRow:
            return context.replay(row, replace(row.behaviour, mistake="unresolved_name", wording=self.wording))

        rows = context.edit(hit, change)
        return Edit(
            rows, {"tasks": sorted({row.index for row in context.rows if "unresolved_name" in row.task.mistakes})}
        )


@frozen
class WrongModelRows:
    """Some rows come from another model, with its name on them or not.

    `share` of the rows; with `keep_name` the response still claims to be from the run's own model.
    """

    share: float = 0.2
    model: str = "sim-other"
    skill: float = 0.3
    keep_name: bool = False
    id_form: str = "resp_"
    """How response ids of the other model begin: a trace that a hidden name may leave."""
    name: ClassVar[str] = "wrong_model_rows"
    stage: ClassVar[CauseStage] = CauseStage.BEHAVIOUR

    def plant(self, context: CauseContext) -> Edit:
        def foreign(row: SimulatedRow) -> SimulatedRow:
            model_name = row.behaviour.model if self.keep_name else ""
            behaviour = replace(row.behaviour, model=self.model, skill=self.skill, id_form=self.id_form)
            return context.replay(row, replace(behaviour, shown_model=model_name))

        return Edit(context.edit(lambda _: roll(context.rng, self.share), foreign), {"model": self.model})


CAUSES = (
    BrokenToolCause,
    EndsOnToolOutput,
    HeadFilter,
    HotterSampling,
    LongerOutputs,
    LostFormat,
    LowerTokenCap,
    SliceRegression,
    SwappedTasks,
    UnresolvedName,
    WrongModelRows,
)
