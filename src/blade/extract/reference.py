"""The actions a benchmark expected, where its rows list them."""

from __future__ import annotations

from typing import Any

import orjson

from blade.extract.names import words

_HOLDERS = ("verifier", "verifier_metadata", "metadata", "task", "info", "verifier_result")
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "args", "kwargs", "parameters", "input")
_HINTS = frozenset("expected reference gold golden ground truth target answer solution correct oracle".split())
MOST = 200

Action = tuple[str, Any]


def reference_actions(row: dict[str, Any]) -> tuple[str, list[Action]] | None:
    """The dotted name of the field and its (tool, arguments) in order; None where no field lists actions."""
    for prefix, holder in (("", row), *((f"{name}.", row.get(name)) for name in _HOLDERS)):
        if not isinstance(holder, dict):
            continue
        for key, value in holder.items():
            if isinstance(value, list) and value and set(words(key)) & _HINTS:
                actions = _actions(value)
                if actions is not None:
                    return prefix + key, actions
    return None


def _actions(value: list[Any]) -> list[Action] | None:
    made: list[Action] = []
    for item in value[:MOST]:
        if not isinstance(item, dict):
            return None
        name = next((item[key] for key in _NAMES if isinstance(item.get(key), str)), None)
        if name is None or not item.keys() & set(_ARGUMENTS):
            return None
        made.append((name, _parsed(next((item[key] for key in _ARGUMENTS if key in item), None))))
    return made


def _parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value
