"""The assistant says which tool it calls next, and calls another one.

Only a message right before the call counts, only names that can be nothing but a tool's (with an underscore, in
backticks, as "the … tool"), and only where the named tool is called neither in that turn nor in the next.

False alarms: a correction in the same turn; a message that lays out several steps (then no single tool is named).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from blade.extract.attempt import Attempt
from blade.extract.own_claims import names_tool, prose
from blade.extract.prefilter import may_hold
from blade.findings import CLEAN, NOT_APPLICABLE, Sighting, fired
from blade.late_regex import late_regex
from blade.model import Step, StepKind

ID = "B20"
FAMILY = "behaviour"
TITLE = "action other than the one announced"
KIND = "behaviour"
EXPLAINS = 20
SUPPORTS = {"BI": 1.2}
RELIABILITY = 0.6
READS = ("model",)
NEEDS = "calls"

_NEXT = late_regex(
    r"\b(I['’]ll|I will|let me|I['’]m going to|I am going to|now I)( now| first| next)? (use|call|invoke|run|try)\b"
    r"([^.\n]{0,60})",
    re.IGNORECASE,
)

_HINTS = ("i'll", "i’ll", "i will", "let me", "going to", "now i")


def detect(attempt: Attempt) -> Sighting:
    if not attempt.tools or not attempt.calls:
        return NOT_APPLICABLE
    steps = attempt.steps
    read = False
    for at, step in enumerate(steps[:-1]):
        if step.kind is not StepKind.MESSAGE or steps[at + 1].kind is not StepKind.CALL:
            continue
        announcement = _announced_tool(step, attempt.tools)
        if announcement is None:
            continue
        read = True
        name, start, end = announcement
        next_call = steps[at + 1]
        if next_call.name == name or next_call.name not in attempt.tools or name in _called_soon(steps, at):
            continue
        return fired(
            attempt.cite(step, start, end),
            attempt.cite(next_call, 0, 120),
            detail=f"says it calls '{name}' and calls '{next_call.name}'",
            value=f"{name} → {next_call.name}",
        )
    return CLEAN if read else NOT_APPLICABLE


def _announced_tool(step: Step, tools: Iterable[str]) -> tuple[str, int, int] | None:
    """The one tool that the last announcement of a message names."""
    text, base = prose(step.text)
    end = text[-600:]
    plans = list(_NEXT.finditer(end)) if may_hold(end, _HINTS) else []
    if not plans:
        return None
    plan = plans[-1]
    words = plan.group(4)
    tools_named = [name for name in tools if names_tool(words, name)]
    shift = base + max(len(text) - 600, 0)
    return (tools_named[0], shift + plan.start(), shift + plan.end()) if len(tools_named) == 1 else None


def _called_soon(steps: list[Step], at: int) -> set[str]:
    """Tools called in this turn and in the next."""
    called: set[str] = set()
    turns = 0
    for step in steps[at + 1 :]:
        if step.kind is StepKind.CALL:
            called.add(step.name)
        elif step.kind is StepKind.MESSAGE:
            turns += 1
            if turns > 1:
                break
    return called
