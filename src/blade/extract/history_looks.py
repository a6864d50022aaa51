"""Looks at commits of a repository that are not its present state: the mended version may stand there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.text import clip
from blade.extract.workspace_actions import command_of
from blade.late_regex import late_regex

LONGEST = 160
_FILE = late_regex(r"/[^/]*\.[A-Za-z]\w{0,4}$")
_TAKES = late_regex(
    r"\bgit\s+(?:-\S+\s+)*(?:show|checkout|cherry-pick|restore|diff|cat-file|merge|reset)\s+"
    r"(?:-\S+\s+|--source[= ])*"
    r"(?P<ref>(?:[\w.-]+/)+[\w./-]+|[0-9a-f]{7,40}|refs/\S+|stash@\{\d+\}|v?\d+(?:\.\d+)+)\b"
)
_OWN = late_regex(r"\bgit\s+(?:-\S+\s+)*(?:commit|stash(?:\s+(?:push|save))?\s*(?:$|[;&|-]))")


def _is_path(name: str, shown: Sequence[str]) -> bool:
    """Whether a name with a slash is that of a file or a folder: to check it out undoes what was done to it."""
    return "/" in name and (_FILE.search(name) is not None or any(f"{name}/" in text for text in shown))


def history_look(attempt: Attempt) -> dict[str, Any]:
    """`history_look`: `[item, command]` of the first command that takes a version that an output named before.

    What the rollout committed or stashed itself is its own work.
    """
    shown: list[str] = []
    for call in attempt.calls:
        command = command_of(call)
        if "git" in command:
            if _OWN.search(command):
                return {}
            for match in _TAKES.finditer(command):
                if any(match["ref"] in text for text in shown) and not _is_path(match["ref"], shown):
                    return {"history_look": [call.step.item, clip(" ".join(command.split()), LONGEST)]}
        if call.answer is not None:
            shown.append(call.answer.text)
    return {}
