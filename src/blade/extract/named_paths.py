"""Paths that the task names, and whether the environment has them when the agent first comes to them."""

from __future__ import annotations

import re
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.transcript import arguments_text

MOST_PATHS = 6
FIRST_CALLS = 2
"""Later a path may be gone because the agent removed it."""
_READ = 2_000
_PATH = re.compile(r"(?<![\w/.:~<-])/(?:[\w.-]+/)*[\w.-]*[\w-](?![\w/])")
_GONE = re.compile(r"no such file|does ?n[o']t exist|does not exist|ENOENT|FileNotFoundError", re.IGNORECASE)
_MAKES = re.compile(
    r">|\b(?:mkdir|touch|tee|install|write|create|mount|clone|cp|mv|ln|init|unzip|tar)\b", re.IGNORECASE
)
"""What may make a path: that it works says nothing of what was there."""


def named_paths(attempt: Attempt) -> dict[str, Any]:
    """`named_paths`: each path of the task that one of the first calls looks at, and whether it is there (0 or 1)."""
    paths = list(dict.fromkeys(_PATH.findall(attempt.task_text)))[:MOST_PATHS] if "/" in attempt.task_text else []
    states = {path: state for path in paths if (state := _state(attempt, path)) is not None}
    return {"named_paths": [[path, state] for path, state in states.items()]} if states else {}


def _state(attempt: Attempt, path: str) -> int | None:
    for call in attempt.calls[:FIRST_CALLS]:
        arguments = arguments_text(call.step.arguments)
        if path in arguments:
            return _state_after(call, path, arguments)
    return None


def _state_after(call: Call, path: str, arguments: str) -> int | None:
    if call.answer is None:
        return None
    lines = call.answer.text[:_READ].split("\n")
    if any(_GONE.search(line) and _names(line, path) for line in lines):
        return 0
    return None if call.failed or _MAKES.search(f"{call.name} {arguments}") else 1


def _names(line: str, path: str) -> bool:
    """Whether a line names the path, or a folder that it lies in."""
    parts = path.strip("/").split("/")
    return any(
        re.search(rf"{re.escape('/' + '/'.join(parts[:end]))}(?!\w|[/.-]\w)", line) for end in range(1, len(parts) + 1)
    )
