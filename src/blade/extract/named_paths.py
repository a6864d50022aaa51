"""Paths and hosts that the task names, and whether the environment has them when the agent comes to them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.calls import Call
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

MOST_PATHS = 6
FIRST_CALLS = 2
"""Later a path may be gone because the agent removed it."""
_READ = 2_000
_PATH = late_regex(r"/(?<![\w/.:~<-]/)(?:[\w.-]+/)*[\w.-]*[\w-](?![\w/])")
"""It begins with the letter itself: so it is found far sooner than behind a look at what stands before it."""
_GONE = late_regex(r"no such file|does ?n[o']t exist|does not exist|ENOENT|FileNotFoundError", re.IGNORECASE)
_MAKES = late_regex(
    r">|\b(?:mkdir|touch|tee|install|write|create|mount|clone|cp|mv|ln|init|unzip|tar)\b", re.IGNORECASE
)
"""What may make a path: that it works says nothing of what was there."""


_ENDING = r"\.(?:com|org|net|edu|gov|io|dev|ai|info|app|cloud|uk|de|fr|eu|ch|nl|cn|jp|in|us)(?![\w-]|\.\w)"
_HOST_ENDS = late_regex(_ENDING, re.IGNORECASE)
"""Looked for first: it begins with a point, and most texts have few."""
_HOST = late_regex(
    rf"(?<![\w@.-])[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*{_ENDING}", re.IGNORECASE
)
"""By its ending: other names with a point in them are mostly files."""
_UNREACHED = late_regex(
    r"name or service not known|could not resolve|temporary failure in name resolution|unknown host|"
    r"no address associated|network is unreachable|no route to host|connection (?:refused|timed out)|"
    r"failed to connect|unable to connect|ENOTFOUND|ETIMEDOUT",
    re.IGNORECASE,
)
"""A command that ran out of time may have got through and waited for an answer: it says nothing."""


def named_hosts(attempt: Attempt) -> dict[str, Any]:
    """`named_hosts`: each host of the task that a call goes to, and whether any call reaches it (0 or 1)."""
    hosts = list(dict.fromkeys(host for step in attempt.prompt for host in _hosts_in(step.text)))
    reached = {host: state for host in hosts[:MOST_PATHS] if (state := _reached(attempt, host)) is not None}
    return {"named_hosts": [[host, state] for host, state in reached.items()]} if reached else {}


@lru_cache(maxsize=256)
def _hosts_in(text: str) -> tuple[str, ...]:
    """The hosts in a message, word by word; messages of prompts repeat from row to row."""
    if _HOST_ENDS.search(text) is None:
        return ()
    return tuple(host for word in text.split() if _HOST_ENDS.search(word) for host in _HOST.findall(word))


def _reached(attempt: Attempt, host: str) -> int | None:
    """None where no call goes there, or one fails in another way than by not getting through."""
    calls = [call for call in attempt.answered if host in arguments_text(call.step.arguments)]
    lost = [_is_lost(call, host) for call in calls]
    if not lost or any(call.failed for call, gone in zip(calls, lost, strict=True) if not gone):
        return None
    return int(not all(lost))


def _is_lost(call: Call, host: str) -> bool:
    """Whether a line of the answer says of the host that nothing gets through to it."""
    lines = call.answer.text[:_READ].split("\n") if call.answer is not None else []
    return any(host in line and _UNREACHED.search(line) for line in lines)


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
