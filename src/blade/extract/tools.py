"""Which tool calls failed, told from the shape of what the tool answered, never from one benchmark's wording."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from blade.extract.text import clip
from blade.extract.trouble import says
from blade.model import Step, StepKind

MOST_ACTIONS = 64
_READ = 400
_PARSED = 20_000
_BEGINS = re.compile(
    r"[\W_]{0,4}(error|exception|traceback|fatal|failure|failed|invalid|unknown (tool|function|command)|"
    r"[45]\d\d (service|bad|internal|gateway|too many|not|forbidden|unauthorized|overloaded|client|server|error)|"
    r"(tool|function|command) [\w.'\"-]{1,60} (not found|does not exist|is not available)|no such (tool|function))\b",
    re.IGNORECASE,
)
_CLASS = re.compile(r"[\W_]{0,4}[A-Za-z_.]*(Error|Exception)\b\s*[:(]")
_EXIT = re.compile(
    r"(exit(ed with)?[ _]?(code|status)|return ?code|non-zero exit status)\W{0,4}(-?[1-9]\d*)", re.IGNORECASE
)
_BREAKS = re.compile(
    r"[\W_]{0,4}(error|exception|fatal|[45]\d\d\b|[A-Za-z_.]*(Error|Exception)\b|upstream|connection|gateway|"
    r"(the )?(sandbox|container|worker|provider|server|request|host|node)\b)",
    re.IGNORECASE,
)
_FLAGS = {"is_error": True, "isError": True, "success": False, "ok": False}


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


def tool_use(steps: Iterable[Step]) -> ToolUse:
    """Read calls and outputs in order; an answer belongs to the call with its id, else to the latest call."""
    made = ToolUse()
    names: dict[str, str] = {}
    latest = ""
    for step in steps:
        if step.kind is StepKind.CALL:
            latest = step.name
            if step.call_id:
                names[step.call_id] = step.name
            if len(made.actions) < MOST_ACTIONS:
                made.actions.append(action(step))
        elif step.kind is StepKind.OUTPUT:
            _answer(made, names.get(step.call_id, latest), step.text)
    return made


def _answer(made: ToolUse, tool: str, text: str) -> None:
    problem = failure(text)
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
    if not short or len(short) > _READ or not _BREAKS.match(short):
        return None
    return short if says(short) == "infrastructure" else None


def action(step: Step) -> str:
    """A call without its values: the tool and the names of its arguments."""
    value = step.arguments
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return clip(f"{step.name}(?)", 120)
    keys = ",".join(sorted(value)) if isinstance(value, dict) else ""
    return clip(f"{step.name}({keys})", 120)


def failure(text: str) -> str | None:
    """The message of a failed call, or None: a flag, a key named error, an error's first words, an exit code."""
    start = text.lstrip()
    if start[:1] in {"{", "["} and len(start) <= _PARSED:
        told, parsed = _structured(start)
        if parsed:
            return told
    head = start[:_READ]
    if _BEGINS.match(head) or _CLASS.match(head) or head.startswith("Traceback (most recent call last)"):
        return head.split("\n", 1)[0] if not head.startswith("Traceback") else _last_line(text)
    found = _EXIT.search(head) or _EXIT.search(text[-_READ:])
    return found.group(0) if found else None


def _structured(text: str) -> tuple[str | None, bool]:
    try:
        value: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None, False
    for _ in range(2):
        if not isinstance(value, dict):
            return None, True
        for key in ("error", "errors", "exception"):
            if value.get(key):
                return str(value[key]), True
        for key, bad in _FLAGS.items():
            if value.get(key) is bad:
                return str(value.get("message") or f"{key} is {str(bad).lower()}"), True
        status = value.get("status")
        if isinstance(status, str) and status in {"error", "failed", "failure"}:
            return str(value.get("message") or status), True
        code = value.get("exit_code", value.get("returncode"))
        if isinstance(code, int) and not isinstance(code, bool) and code != 0:
            return f"exit code {code}", True
        inner = value.get("output", value.get("result"))
        if isinstance(inner, str):
            return failure(inner) if inner.strip() else None, True
        value = inner
    return None, True


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "traceback"
