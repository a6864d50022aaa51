"""How far a rollout came: the stages it reached, told from its steps alone."""

from __future__ import annotations

from blade.extract.attempt import Attempt
from blade.extract.names import words
from blade.model import StepKind

ACTED = "first action"
CORE = "core action"
FEEDBACK = "received feedback"
CHECKED = "checked itself"
SUBMITTED = "submitted"
_FINISHING = frozenset("submit finish finished done complete terminate stop exit answer final end".split())


def finishes(tool: str) -> bool:
    """Whether a tool's name says that calling it ends the attempt."""
    return bool(set(words(tool)) & _FINISHING)


def stages(attempt: Attempt) -> list[str]:
    """The stages reached, in their order.

    The core action is a call that changes something and was not refused. A check is a look, a test or a run after the
    last change. An attempt is submitted when its last word is a message, or a tool that finishes.
    """
    reached: list[str] = []
    if attempt.calls or attempt.final:
        reached.append(ACTED)
    changing = [call for call in attempt.calls if call.changes and not call.failed]
    if changing:
        reached.append(CORE)
    if any(step.kind in {StepKind.OUTPUT, StepKind.USER} for step in attempt.steps):
        reached.append(FEEDBACK)
    if changing and any(call.place > changing[-1].place and not finishes(call.name) for call in attempt.calls):
        reached.append(CHECKED)
    if attempt.ends_by_itself or any(finishes(call.name) for call in attempt.calls[-1:]):
        reached.append(SUBMITTED)
    return reached
