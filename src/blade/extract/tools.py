"""What a rollout did with its tools, and what became of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from blade.extract.calls import Call
from blade.extract.text import clip
from blade.extract.trouble import says

MOST_ACTIONS = 64
_SHORT = 400
_BREAKS = re.compile(
    r"[\W_]{0,4}(error|exception|fatal|[45]\d\d\b|[A-Za-z_.]*(Error|Exception)\b|upstream|connection|gateway|"
    r"(the )?(sandbox|container|worker|provider|server|request|host|node)\b)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class ToolUse:
    """What one rollout did with its tools."""

    actions: list[str] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    failures: int = 0
    unrecovered: set[str] = field(default_factory=set)  # tools whose last call failed
    last_failed: bool = False
    message: str = ""  # of the last failed call
    unreachable: str = ""  # a tool whose last call could not reach it, with the message


def tool_use(calls: Sequence[Call]) -> ToolUse:
    """What became of the tools, their answers taken in the order in which they came."""
    made = ToolUse([action(call) for call in calls[:MOST_ACTIONS]])
    came = sorted((answer.place, call.name, answer.problem) for call in calls for answer in call.answers)
    for _, tool, problem in came:
        _answer(made, tool, problem)
    return made


def _answer(made: ToolUse, tool: str, problem: str | None) -> None:
    made.last_failed = problem is not None
    if problem is None:
        made.unrecovered.discard(tool)
        if made.unreachable.startswith(f"{tool}: "):
            made.unreachable = ""
        return
    made.failures += 1
    made.failed.add(tool)
    made.unrecovered.add(tool)
    made.message = clip(problem, 160)
    if says(problem) == "infrastructure":
        made.unreachable = clip(f"{tool}: {problem}", 160)


def broken_message(text: str) -> str | None:
    """A last message that is nothing but an error of the transport: no model wrote it."""
    short = text.strip()
    if not short or len(short) > _SHORT or not _BREAKS.match(short):
        return None
    return short if says(short) == "infrastructure" else None


def action(call: Call) -> str:
    """A call without its values: the tool and the names of its arguments."""
    value = call.arguments
    if isinstance(value, str):
        return clip(f"{call.name}(?)", 120)
    keys = ",".join(sorted(value)) if isinstance(value, dict) else ""
    return clip(f"{call.name}({keys})", 120)
