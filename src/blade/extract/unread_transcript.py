"""A transcript that stands where none is looked for: the row did not stay silent, it is only not understood."""

from __future__ import annotations

from typing import Any

_TURNS = frozenset("role from speaker author action observation thought tool_calls".split())
"""What the turns of a transcript say of themselves, in whatever shape."""
_KNOWN = {"responses_create_params"}
_FIRST = 3


def unread_transcript(row: dict[str, Any]) -> str | None:
    """The dotted name of a field that holds turns of a shape that is not read; None where there is none."""
    for name, value in row.items():
        if name not in _KNOWN and not name.startswith("ng_") and _are_turns(value):
            return name
    response = row.get("response")
    if isinstance(response, dict) and "output" not in response:
        for name, value in response.items():
            if _are_turns(value) or (name in {"choices", "candidates"} and value):
                return f"response.{name}"
    return None


def _are_turns(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(turn, dict) and not _TURNS.isdisjoint(turn) for turn in value[:_FIRST])
