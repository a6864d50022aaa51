"""How far a rollout came: the stages it reached, told from its steps alone."""

from __future__ import annotations

import re
from functools import lru_cache

from blade.extract.against_reference import hands_over
from blade.extract.artefacts import run_after_edit
from blade.extract.attempt import Attempt
from blade.extract.calls import finishing_command
from blade.extract.names import words
from blade.extract.text import only_thinks
from blade.late_regex import late_regex
from blade.model import StepKind

ACTED = "first action"
CORE = "core action"
FEEDBACK = "received feedback"
CHECKED = "checked itself"
SUBMITTED = "submitted"
_OUTPUT, _USER = StepKind.OUTPUT, StepKind.USER
_LAST_FENCE = late_regex(r"```[ \t]*[\w+-]*[ \t]*\n((?:(?!```).)*)```\s*\Z", re.DOTALL)
_FINISHING = frozenset("submit finish finished done complete terminate stop exit answer final end".split())


@lru_cache(maxsize=4096)
def finishes(tool: str) -> bool:
    """Whether a tool's name says that calling it ends the attempt."""
    return bool(set(words(tool)) & _FINISHING)


def handed_in(attempt: Attempt) -> bool:
    """Whether one of the last two calls ends the attempt, by the tool's name or by what the command says.

    Who passes the case on to a person hands in nothing.
    """
    closing = [call for call in attempt.calls[-2:] if not hands_over(call.name)]
    return any(call.finishes or finishes(call.step.name) for call in closing) or hands_in_as_text(attempt)


def hands_in_as_text(attempt: Attempt) -> bool:
    """Whether the last message closes with a fenced command that hands in the work: nothing else shows that call."""
    return attempt.once(_hands_in_as_text)


def _hands_in_as_text(attempt: Attempt) -> bool:
    closing = attempt.closing
    last = _LAST_FENCE.search(closing.text) if closing is not None and closing.text.rstrip().endswith("```") else None
    return last is not None and finishing_command(last.group(1))


def _only_thinks(attempt: Attempt) -> bool:
    return attempt.final is not None and only_thinks(attempt.final.text)


def stages(attempt: Attempt) -> list[str]:
    """The stages reached, in their order.

    The core action is a call that changes something and was not refused; handing over to a person is none. A check is a
    look, a test or a run after the last change; code that was edited is checked only by running, building or testing
    something. An attempt is submitted when its last word is a message that is more than thinking, or a tool that
    finishes.
    """
    reached: list[str] = []
    calls = attempt.calls
    if calls or attempt.final:
        reached.append(ACTED)
    changes_made = (
        call.place for call in reversed(calls) if call.changes and not call.failed and not hands_over(call.name)
    )
    last = next(changes_made, None)
    if last is not None:
        reached.append(CORE)
    if any(step.kind is _OUTPUT or step.kind is _USER for step in attempt.steps):
        reached.append(FEEDBACK)
    checked_after = last is not None and any(
        call.place > last and not finishes(call.step.name) and not hands_over(call.name) for call in calls
    )
    ran = run_after_edit(attempt) if calls else None
    if ran or (checked_after and ran is None):
        reached.append(CHECKED)
    if (attempt.ends_by_itself and not _only_thinks(attempt)) or handed_in(attempt):
        reached.append(SUBMITTED)
    return reached
