"""One rollout, read once: its steps, calls, tools, verdict and texts, for the facts and for every detector alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from blade.extract.against_reference import Changes, Deviation, changes_of, compare
from blade.extract.answer_candidates import AnswerCandidate, readings
from blade.extract.answer_key import Key, key_of
from blade.extract.cached import Remembering, kept
from blade.extract.calls import Call, calls_after, every_call, without_echoes
from blade.extract.checks import Checks, checks_of
from blade.extract.citing import Citing, field_text
from blade.extract.claim_records import TroubleClaim, read_claims
from blade.extract.declared import NOTHING, Declared
from blade.extract.error_claims import row_claims
from blade.extract.failure_shape import FailureShape, shape_of
from blade.extract.fields import short_fields
from blade.extract.json_spans import value_span
from blade.extract.judges import judge_field
from blade.extract.learned_samples import plain_value
from blade.extract.logs import Stage, failed_stage
from blade.extract.options import options_of
from blade.extract.own_kills import without_own_kills, without_unowned_kills
from blade.extract.prefilter import holds_any, lowered
from blade.extract.reference import Action, argument_field, chosen, reference_actions
from blade.extract.repeated_calls import repeated
from blade.extract.repetition import Circle, circle
from blade.extract.row_texts import RowText, row_texts
from blade.extract.schema import Tool, offered_tools
from blade.extract.sole_check import SoleCheck, sole_check
from blade.extract.stated_results import StatedResult, may_state_results, stated_results
from blade.extract.task_text import instruction
from blade.extract.text import visible
from blade.extract.text_calls import with_lone_calls
from blade.extract.tools import Trouble, troubles
from blade.extract.transcript import arguments_text, prompt_steps, row_steps
from blade.extract.verdict import answer_field, gold_fields, reward_facts
from blade.extract.wanted_format import FormatRequest, RightAnswer, commits, right_answer, wanted_format
from blade.extract.workspace_actions import Work, work_of
from blade.findings import Cite
from blade.model import Step, StepKind

LONG_TEXT = 20_000
_MESSAGE, _THOUGHT, _ENVIRONMENT = StepKind.MESSAGE, StepKind.THOUGHT, StepKind.ENVIRONMENT
FEW_STEPS = 4
"""A rollout with more steps is no single turn."""


class Attempt(Citing, Remembering):
    """Everything a rule may look at. Each part is worked out when it is first asked for, and then kept."""

    def __init__(self, row: dict[str, Any], declared: Declared = NOTHING, inputs: dict[str, Any] | None = None) -> None:
        """`inputs` is what the run's inputs expect of this row: they may list the actions that the row does not."""
        self.row = row
        self._declared = declared
        self._inputs = inputs
        self._low: dict[int, str] = {}

    @kept
    def fields(self) -> dict[str, Any]:
        """The short scalar fields of the row under dotted names."""
        return short_fields(self.row)

    @kept
    def prompt(self) -> list[Step]:
        return prompt_steps(self.row.get("responses_create_params"))

    @kept
    def steps(self) -> list[Step]:
        """What happened after the request, in order; where calls are expected, those that a message writes as text."""
        steps = row_steps(self.row)
        return with_lone_calls(steps) if len(steps) <= FEW_STEPS and self._expects_calls(steps) else steps

    def _expects_calls(self, steps: list[Step]) -> bool:
        """Whether the row lists expected actions, and none of these few steps is a call."""
        if any(step.kind is StepKind.CALL for step in steps) or self._own_reference is None:
            return False
        return any("{" in step.text or ")]" in step.text for step in steps)

    @kept
    def _own_reference(self) -> tuple[str, list[Action]] | None:
        """The expected actions that the row itself lists."""
        return reference_actions(self.row, self._declared.reference_field, self._declared.learned.actions)

    @kept
    def _changing_tools(self) -> frozenset[str]:
        """Tools of which it is declared or learned that they change something."""
        return self._declared.changing_tools | self._declared.learned.changing

    @kept
    def made(self) -> list[Call]:
        """Every call as it is written, echoes too."""
        return every_call(self.steps, self._changing_tools)

    @kept
    def calls(self) -> list[Call]:
        return without_echoes(self.made)

    @kept
    def answered(self) -> list[Call]:
        return [call for call in self.calls if call.answers]

    @kept
    def failed(self) -> list[Call]:
        """The calls whose last answer tells of a failure."""
        return [call for call in self.calls if call.failed]

    @kept
    def works(self) -> dict[int, Work]:
        """What calls do to files and in a shell, by the place of the call; those that do nothing there are left out."""
        return {call.place: work for call in self.calls if (work := work_of(call)) is not None}

    @kept
    def spoken(self) -> list[tuple[int, Step]]:
        """The model's own words, said or thought, with the places: never those of a user, a screen or a log.

        Every rule about what the model says reads these, or `messages`, or the final message, which is one of them.
        """
        steps = enumerate(self.steps)
        return [(place, step) for place, step in steps if (kind := step.kind) is _MESSAGE or kind is _THOUGHT]

    @kept
    def messages(self) -> list[Step]:
        """What the model says."""
        return [step for _, step in self.spoken if step.kind is _MESSAGE]

    @kept
    def users(self) -> list[tuple[int, Step]]:
        """What a user said after the request, with the places."""
        return [(place, step) for place, step in enumerate(self.steps) if step.kind is StepKind.USER]

    @kept
    def tools(self) -> dict[str, Tool] | None:
        """The tools offered, by name; None where the row offers none or does not say."""
        return offered_tools(self.row.get("responses_create_params"))

    @kept
    def verdict(self) -> dict[str, Any]:
        return reward_facts(self.row, self._declared.reward_field)

    @kept
    def reward(self) -> float | None:
        return self.verdict["reward"]  # type: ignore[no-any-return]

    @kept
    def zero(self) -> bool:
        """Scored, and with nothing: what rules about wrongly lost points look at."""
        return self.reward is not None and self.reward <= 0

    @kept
    def lost(self) -> bool:
        """Scored below one: points were lost, all or some."""
        return self.reward is not None and self.reward < 1

    @kept
    def answer(self) -> tuple[str, Any] | None:
        """What the verifier extracted: the field's dotted name and its value, which may be null."""
        named, learned = answer_field(self.row), self._declared.learned
        if named is None and not learned.answer and self._sole_check is not None:
            return self._sole_check.answer_field, self._sole_check.answer
        if named or not learned.answer:
            return named
        value = plain_value(self.row, learned.answer)
        return None if value in (None, []) and learned.is_result else (learned.answer, value)

    @kept
    def _sole_check(self) -> SoleCheck | None:
        """Key and answer in the one check of the row, where no field has the name of a key or was learned to be one."""
        return None if self._declared.learned.key or gold_fields(self.row) else sole_check(self.row)

    @property
    def answers_are_results(self) -> bool:
        """Whether the verifier works answers out of what is handed in: then no final message is one."""
        return self._declared.learned.is_result

    @kept
    def judge(self) -> str:
        """The field in which a judge that reads and reasons tells its verdict; empty where none does."""
        return judge_field(self.row)

    @kept
    def own_gold(self) -> dict[str, Any]:
        """What was expected, as the row itself tells it."""
        learned, no_keys = self._declared.learned.key, self._declared.learned.no_keys
        value = None if not learned else plain_value(self.row, learned)
        gold = gold_fields(self.row)
        if no_keys:
            gold = {name: of_name for name, of_name in gold.items() if name not in no_keys}
        if self._sole_check is not None:
            return {self._sole_check.key_field: self._sole_check.key}
        return gold | {learned: value} if value not in (None, "") else gold

    @kept
    def gold(self) -> dict[str, Any]:
        """What was expected, by the dotted names of the fields: of the row, else of the run's inputs."""
        return self.own_gold or (gold_fields(self._inputs) if self._inputs else {})

    @kept
    def key(self) -> Key | None:
        """What was expected as one short answer, where it is one."""
        learned = self._declared.learned.key
        return key_of(self.gold, learned or (self._sole_check.key_field if self._sole_check else ""))

    @kept
    def options(self) -> dict[str, str]:
        """The lettered options of a multiple-choice question."""
        return options_of(self.row, self.task_text)

    @kept
    def wanted(self) -> FormatRequest | None:
        """The format in which the prompt asks for the answer."""
        return wanted_format(self.prompt)

    @kept
    def stated(self) -> list[AnswerCandidate]:
        """The answers that the final message states, read without regard to their format."""
        return readings(self.final_text)

    @kept
    def right(self) -> RightAnswer | None:
        """The expected answer, where the final message states it and no other, and what is wrong with its format."""
        if self.key is None or not commits(self.stated, self.key, self.options):
            return None
        return right_answer(self.stated, self.key, self.options, self.wanted.kind if self.wanted else "")

    @kept
    def reference(self) -> tuple[str, list[Action]] | None:
        """The actions that were expected, where the row or its input lists them, with the name of the field."""
        field, learned = self._declared.reference_field, self._declared.learned.actions
        listed = self._own_reference or (reference_actions(self._inputs, field, learned) if self._inputs else None)
        if listed is None or learned is None or not learned.choices:
            return listed
        return listed[0], chosen(listed[1], [(call.name, call.arguments) for call in self.calls])

    @kept
    def deviation(self) -> Deviation | None:
        """The first difference between what was done and the actions that were expected."""
        return compare(self.changes) if self.changes else None

    @kept
    def changes(self) -> Changes | None:
        """What was expected to change and what was changed, where the expected actions are known."""
        return changes_of(self.calls, self.reference[1], self._changing_tools) if self.reference else None

    @kept
    def shape(self) -> FailureShape | None:
        """How the one differs from the other."""
        return shape_of(self.changes) if self.changes else None

    @kept
    def checks(self) -> list[Checks]:
        """The sets of sub-checks that the row tells of."""
        return list(checks_of(self.row, self._declared.learned.checks))

    @kept
    def signals(self) -> list[str]:
        """Every claim of trouble that the row makes, as it is written down; the agent's own kill is marked as such."""
        claims = row_claims(self.row, self.fields)
        if not claims:
            return claims
        claims = without_own_kills(claims, self.steps, self.made)
        unowned = without_unowned_kills(claims)
        return unowned if unowned != claims and self._judged_in_full() else claims

    def _judged_in_full(self) -> bool:
        """Whether the row has a score and the result of every check by name."""
        return self.reward is not None and any(checks.checks for checks in self.checks)

    @kept
    def claims(self) -> list[TroubleClaim]:
        """The same claims, with what each one is about."""
        return read_claims(self.signals, lambda name: field_text(self.row, name))

    @kept
    def stage(self) -> Stage | bool | None:
        """The stage at which submitted work failed, by the logs in the row; False where no log tells of any work."""
        return failed_stage(self.texts(), chain(self.fields, self.row), self.final_text)

    @kept
    def stated_results(self) -> list[StatedResult]:
        """What the verifier says it wanted and got."""
        return stated_results(self.texts()) if may_state_results(self.all_texts_low) else []

    @kept
    def final(self) -> Step | None:
        """The last message of the model that says something after its thinking."""
        return next((step for step in reversed(self.messages) if visible(step.text).strip()), None)

    @kept
    def last_words(self) -> Step | None:
        """The last message, whoever wrote it: a harness may put an error or a screen in the place of the model's."""
        for step in reversed(self.steps):
            if step.kind is _ENVIRONMENT or (step.kind is _MESSAGE and visible(step.text).strip()):
                return step
        return None

    @kept
    def closing(self) -> Step | None:
        """The final message, where it closes the attempt: no call comes after it. A last turn of the user may."""
        for step in reversed(self.steps):
            if step is self.final:
                return step
            if step.kind is StepKind.CALL or step.kind is StepKind.OUTPUT:
                return None
        return None

    @kept
    def final_text(self) -> str:
        """The words of the last message, without the thinking before them."""
        return visible(self.final.text).strip() if self.final else ""

    @kept
    def instruction(self) -> str:
        """What a field of the row calls an instruction; empty where none does."""
        return instruction(self.row)

    @kept
    def task_text(self) -> str:
        """Everything the prompt says, one message after the other."""
        return "\n".join(step.text for step in self.prompt)

    @kept
    def ends_by_itself(self) -> bool:
        """Whether the last event is a message of the model; a screen or a log behind it is no event of its own."""
        last = next((step for step in reversed(self.steps) if step.kind is not _ENVIRONMENT), None)
        return last is not None and last.kind is _MESSAGE and bool(last.text.strip())

    def low(self, step: Step) -> str:
        """The text of a step with its Latin letters in lower case; several rules ask. A very long one is not kept."""
        lowered_text = self._low.get(id(step))
        if lowered_text is None:
            lowered_text = lowered(step.text)
            if len(lowered_text) <= LONG_TEXT:
                self._low[id(step)] = lowered_text
        return lowered_text

    def holds(self, step: Step, hints: Sequence[str]) -> bool:
        """Whether a text holds one of some words in lower case: far cheaper than a pattern that needs one of them."""
        return holds_any(self.low(step), hints)

    def recovered(self, call: Call) -> bool:
        """Whether a later call of the same tool went well: guard G1."""
        for later in reversed(self.answered):
            if later.place <= call.place:
                return False
            if later.name == call.name and not later.failed:
                return True
        return False

    def after(self, call: Call) -> Iterator[Call]:
        return calls_after(self.calls, call.place)

    def texts(self) -> tuple[RowText, ...]:
        """Texts that the verifier or the harness left in the row: messages, logs, tracebacks (both ends)."""
        return self._texts

    @kept
    def _texts(self) -> tuple[RowText, ...]:
        return tuple(row_texts(self.row))

    @kept
    def all_texts(self) -> str:
        """All of these texts: what does not stand here stands in none of them."""
        return "\n".join([text.text for text in self.texts()])

    @kept
    def all_texts_low(self) -> str:
        """The same with its Latin letters in lower case."""
        return lowered(self.all_texts)

    @kept
    def repeated(self) -> list[list[Call]]:
        """Runs of equal calls with equal answers."""
        return repeated(self.calls)

    @kept
    def circle(self) -> Circle | None:
        """The first loop of words in what the model says or thinks."""
        return circle([step for _, step in self.spoken])

    @kept
    def troubles(self) -> list[Trouble]:
        """Failed calls whose answers tell of trouble outside the agent's hands."""
        return troubles(self.calls)

    def cite_expected(self, index: int, path: Sequence[str | int] = ()) -> list[Cite]:
        """An expected action, or one value of its arguments; nothing where the row itself does not list it."""
        argument = (
            argument_field(self.row, self.reference[0], index, self._declared.learned.actions)
            if self.reference
            else None
        )
        if argument is None:
            return []
        text = arguments_text(argument[1])
        for end in range(len(path), -1, -1):
            span = value_span(text, path[:end])
            if span is not None:
                return [self.cite_field(argument[0], text, *span)]
        return [self.cite_field(argument[0], text)]

    def cite_final(self, start: int, end: int) -> Cite:
        """A place in `final_text`, as a place in the message it is the end of."""
        if self.final is None:
            raise ValueError("there is no final message to cite")
        shift = self.final.text.rfind(self.final_text)
        return self.cite(self.final, shift + start, shift + end)

    def cite_key(self) -> list[Cite]:
        """The expected answer where the row states it; the inputs of a run are another file."""
        return [self.cite_field(self.key.field)] if self.key and field_text(self.row, self.key.field) else []
