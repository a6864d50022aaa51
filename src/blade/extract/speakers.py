"""Who speaks under the role of the assistant: several agents may write one transcript, and programs among them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from blade.extract.attempt import Attempt
from blade.signatures import template

MOST = 8
LONGEST = 40
HEAD = 40


def speakers(attempt: Attempt) -> dict[str, Any]:
    """Name → its messages, and how the most common of them begins; nothing where one alone speaks."""
    response = attempt.row.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    messages = [item for item in output or () if isinstance(item, dict) and item.get("role") == "assistant"]
    names = Counter(item["name"][:LONGEST] for item in messages if isinstance(item.get("name"), str) and item["name"])
    if len(names) < 2 or len(names) > MOST:
        return {}
    heads: dict[str, list[str]] = {name: [] for name in names}
    for item in messages:
        name = item.get("name")
        if isinstance(name, str) and name[:LONGEST] in heads:
            heads[name[:LONGEST]].append(_head(item.get("content")))
    return {"speakers": {name: [times, *_common(heads[name])] for name, times in names.items()}}


def _common(heads: list[str]) -> list[Any]:
    head, times = Counter(heads).most_common(1)[0]
    return [head, times]


def _head(content: Any) -> str:
    """The first words of a message, masked."""
    if isinstance(content, list):
        content = next((part.get("text") for part in content if isinstance(part, dict)), "")
    line = str(content or "").lstrip().split("\n", 1)[0]
    return template(line)[:HEAD]
