"""Options that the calls of a rollout set in code and on command lines: `errors='coerce'`, `--no-cache`.

What is set by name is a choice: other rollouts of the same task choose otherwise.
"""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.transcript import arguments_text
from blade.late_regex import late_regex

MOST, LONGEST_TEXT = 40, 20_000
_KEYWORD = late_regex(
    r"(?<![\w.])(?P<name>[A-Za-z_]\w{2,30}) ?= ?(?P<value>'[^'\n\\]{1,30}'|\\?\"[^\"\n\\]{1,30}\\?\"|True|False|None|"
    r"-?\d{1,9}(?:\.\d{1,6})?)(?= ?[,)])"
)
_FLAG = late_regex(r"(?<![^\s'\"`(])--(?P<name>[a-z][a-z-]{1,30})(?:=(?P<value>[\w.-]{1,20}))?(?![\w=-])")


def call_options(attempt: Attempt) -> dict[str, Any]:
    """`options`: each option of the calls with the item of the first call that sets it."""
    options: dict[str, int] = {}
    for call in attempt.calls:
        text = arguments_text(call.step.arguments)[:LONGEST_TEXT]
        if "=" in text:
            for match in _KEYWORD.finditer(text):
                value = match["value"].replace("\\", "").replace('"', "'")
                options.setdefault(f"{match['name']}={value}", call.step.item)
        if "--" in text:
            for match in _FLAG.finditer(text):
                options.setdefault(
                    "--" + match["name"] + (f"={match['value']}" if match["value"] else ""), call.step.item
                )
        if len(options) >= MOST:
            break
    return {"options": dict(list(options.items())[:MOST])} if options else {}
