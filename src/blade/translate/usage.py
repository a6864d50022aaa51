"""Tokens that the messages of a conversation say they cost, added up."""

from __future__ import annotations

from typing import Any

from blade.translate.chat import role_of
from blade.translate.documents import as_rows

MOST = 1e15
"""More tokens than this is no count."""
_NUMBERS = {int, float}
_NAMES = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
}


def usage_of(record: Any) -> dict[str, int] | None:
    """The tokens of one record under the names of the Responses API; None where it counts none."""
    if not isinstance(record, dict):
        return None
    counts = {}
    for name, spellings in _NAMES.items():
        for spelling in spellings:
            value: Any = record.get(spelling)
            if type(value) in _NUMBERS and 0 <= value < MOST:
                counts[name] = int(value)
                break
    return counts or None


def summed_usage(messages: Any, role: str) -> dict[str, int] | None:
    """What the messages of one role cost together."""
    total: dict[str, int] = {}
    for message in as_rows(messages):
        if role_of(message) == role:
            for name, value in (usage_of(message.get("usage")) or {}).items():
                total[name] = total.get(name, 0) + value
    return total or None
