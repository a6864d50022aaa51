"""Calls that the model wrote as text and the harness did not run: it passed them on to the user as words.

A harness that reads calls out of messages takes one way of writing them; what is written otherwise is speech to it, and
nothing happens. So it is told where other calls of the same rollout were taken and answered.
"""

from __future__ import annotations

from typing import Any

from blade.extract.against_reference import action_digest
from blade.extract.attempt import Attempt
from blade.extract.text_calls import OF_TEXT, TextCall, spoken_calls
from blade.extract.transcript import arguments_value
from blade.model import Step

MOST = 10


def unrun_calls(attempt: Attempt) -> list[tuple[Step, TextCall]]:
    """The messages that hold such a call; none of a call that was made in the right way later."""
    if not any(call.step.call_id.startswith(OF_TEXT) and call.answers for call in attempt.calls):
        return []
    spoken = spoken_calls(attempt.steps)
    calls_made = {(_digest(call.name, call.arguments), call.step.item) for call in attempt.calls} if spoken else set()
    return [
        (step, call)
        for step, call in spoken
        if not any(digest == _digest(call.name, call.arguments) and item > step.item for digest, item in calls_made)
    ]


def unrun_record(attempt: Attempt) -> dict[str, Any]:
    """`unrun`: `[item, tool, whether the key expects exactly this call]`; nothing where every call ran."""
    unrun = unrun_calls(attempt)
    if not unrun:
        return {}
    expected = {_digest(*action) for action in attempt.changes.expected.values()} if attempt.changes is not None else ()
    rows = [[step.item, call.name, int(_digest(call.name, call.arguments) in expected)] for step, call in unrun]
    return {"unrun": rows[:MOST]}


def _digest(name: str, arguments: Any) -> int:
    return action_digest(name, arguments_value(arguments) if isinstance(arguments, str) else arguments)
