"""The rollout ends without words: the last message is blank, or there is only thinking.

Not applicable where the work ends on a call or on a tool's output: there the answer is the call, or the harness stopped
it, which another rule tells.

False alarms: tasks whose answer is an artefact outside the transcript (a patch in a field of the row is recognised),
and harnesses that drop the last message when they merge the steps.
"""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.final_message import HANDED_IN
from blade.extract.text import visible
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.model import Step, StepKind

ID = "P03"
FAMILY = "pipeline"
TITLE = "no final answer"
KIND = "behaviour"
EXPLAINS = 85
SUPPORTS = {"BI": 0.7, "IR": 0.7}
RELIABILITY = 1.0
READS = ("model", "verifier")

_TOOL = {StepKind.CALL, StepKind.OUTPUT}
_FOREIGN = {StepKind.USER, StepKind.ENVIRONMENT, StepKind.OTHER}
_TAIL = 80


def detect(attempt: Attempt) -> Sighting:
    last = next((step for step in reversed(attempt.steps) if step.kind not in _FOREIGN), None)
    if last is None:
        return NOT_APPLICABLE
    if last.kind in _TOOL or any(_is_filled(attempt.row[name]) for name in HANDED_IN if name in attempt.row):
        return NOT_APPLICABLE
    if last.kind is StepKind.MESSAGE and _answer(last.text):
        return CLEAN
    own_steps = [step for step in attempt.steps if step.kind not in _FOREIGN]
    spoken = next((step for step in reversed(own_steps) if not _silent(step)), None)
    if spoken is not None and spoken.kind is not StepKind.OUTPUT:
        return NOT_APPLICABLE if spoken.kind is StepKind.CALL else CLEAN  # of one turn with the blank one
    if spoken is not None and attempt.calls and attempt.calls[-1].finishes:
        return CLEAN
    cited_step = next((step for step in reversed(own_steps) if step.text.strip()), last)
    if cited_step.kind is StepKind.OUTPUT:
        cited_step = last
    cite = attempt.cite(cited_step, max(0, len(cited_step.text) - _TAIL))
    thinks = cited_step.kind is StepKind.THOUGHT or bool(cited_step.text.strip())
    words = "the rollout ends in thinking, without an answer" if thinks else "the last message is blank"
    return fired(cite, detail=words, value="only thinking" if thinks else "blank")


def _silent(step: Step) -> bool:
    return step.kind is StepKind.THOUGHT or (step.kind is StepKind.MESSAGE and not _answer(step.text))


def _answer(text: str) -> str:
    """What stands after the thinking; nothing where the thinking was never closed."""
    answer = visible(text).strip()
    return "" if answer.startswith("<think>") else answer


def _is_filled(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
