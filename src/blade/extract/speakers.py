"""Who speaks under the role of the assistant: several agents may write one transcript, and programs among them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from blade.extract.attempt import Attempt
from blade.late_regex import late_regex
from blade.signatures import template

MOST = 8
LONGEST = 40
HEAD = 40
MOST_MARKS = 4
_MARK = late_regex(r"(?<![\w\\])[A-Z][A-Z_]{5,30}(?!\w)")
"""A word in capitals, as agents are told to close with."""


def speakers(attempt: Attempt) -> dict[str, Any]:
    """Name → its messages, how the most common of them begins and how many do, and the marks in its last message.

    Nothing where one alone speaks.
    """
    response = attempt.row.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    named = [item for item in output or () if isinstance(item, dict) and "name" in item]
    messages = [item for item in named if item.get("role") == "assistant"]
    own_names = [name[:LONGEST] for item in messages if isinstance(name := item["name"], str) and name]
    names = Counter(own_names) if own_names else ()
    if len(names) < 2 or len(names) > MOST:
        return {}
    heads: dict[str, list[str]] = {name: [] for name in names}
    marks: dict[str, list[str]] = {}
    for item in messages:
        name = item.get("name")
        if isinstance(name, str) and name[:LONGEST] in heads:
            text = _text(item.get("content"))
            heads[name[:LONGEST]].append(template(text.lstrip().split("\n", 1)[0])[:HEAD])
            marks[name[:LONGEST]] = sorted(set(_MARK.findall(text)))[:MOST_MARKS]
    return {"speakers": {name: [times, *_common(heads[name]), marks[name]] for name, times in names.items()}}


def _common(heads: list[str]) -> list[Any]:
    head, times = Counter(heads).most_common(1)[0]
    return [head, times]


def _text(content: Any) -> str:
    if isinstance(content, list):
        content = next((part.get("text") for part in content if isinstance(part, dict)), "")
    return str(content or "")
