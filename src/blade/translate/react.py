"""Calls that a model wrote as text: `Action:` and an object with name and arguments, answered by a user's message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from blade.translate.chat import role_of

ANSWER = "API output:"
RESPOND = "respond"
"""The action that speaks to the user."""
_ACTION = re.compile(r"(?:\A|\n)\s*Action:\s*(?=\{)")


def with_calls(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages with such texts as calls and results; as they are where none is of that kind."""
    if not any(_action(message) for message in messages):
        return list(messages)
    return list(_taken_apart(messages))


def _taken_apart(messages: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    waiting = ""
    for place, message in enumerate(messages):
        action = _action(message)
        content = message.get("content")
        if action is not None and action[1] != RESPOND:
            waiting = f"call_{place}"
            thought, name, arguments = action
            call = {"id": waiting, "function": {"name": name, "arguments": arguments}}
            yield {"role": "assistant", "content": thought, "tool_calls": [call]}
        elif action is not None:
            text = action[2].get("content")
            yield {
                "role": "assistant",
                "reasoning_content": action[0],
                "content": text if isinstance(text, str) else "",
            }
        elif waiting and isinstance(content, str) and content.startswith(ANSWER) and role_of(message) == "user":
            yield {"role": "tool", "tool_call_id": waiting, "content": content.removeprefix(ANSWER).strip()}
            waiting = ""
        else:
            yield message


def _action(message: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """What stands before the action, its name and its arguments."""
    content = message.get("content")
    if role_of(message) != "assistant" or not isinstance(content, str) or message.get("tool_calls"):
        return None
    matches = list(_ACTION.finditer(content))
    if not matches:
        return None
    try:
        action = orjson.loads(content[matches[-1].end() :].strip())
    except orjson.JSONDecodeError:
        return None
    if not isinstance(action, dict) or not isinstance(action.get("name"), str):
        return None
    arguments = action.get("arguments")
    return content[: matches[-1].start()].strip(), action["name"], arguments if isinstance(arguments, dict) else {}
