"""The ordered steps of a rollout, from every item type that Gym builds have written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from blade.extract.text import content_text, part_text
from blade.model import Step, StepKind
from blade.repeats import once

_CALLS = {
    "function_call",
    "mcp_call",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "computer_call",
    "custom_tool_call",
    "local_shell_call",
    "mcp_approval_request",
    "tool_call",
    "tool_use",
}
_OUTPUTS = {
    "function_call_output",
    "computer_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
    "mcp_approval_response",
    "tool_result",
}
_FOREIGN_ROLES = {"user", "system", "developer"}


def prompt_steps(request: Any) -> list[Step]:
    """The request as steps with negative item numbers; `instructions` comes first, as a system message."""
    known = once(request)
    if known is None:
        return _prompt_steps(request)
    if "prompt" not in known:
        known["prompt"] = _prompt_steps(request)
    return known["prompt"]  # type: ignore[no-any-return]


def _prompt_steps(request: Any) -> list[Step]:
    if not isinstance(request, dict):
        return []
    found: list[Step] = []
    instructions = request.get("instructions")
    if isinstance(instructions, str) and instructions:
        found.append(Step(StepKind.PROMPT, 0, instructions, role="system"))
    given = request.get("input")
    if isinstance(given, str):
        found.append(Step(StepKind.PROMPT, 0, given, role="user"))
    elif isinstance(given, list):
        for item in given:
            found.extend(_item_steps(item, 0, in_prompt=True))
    for place, step in enumerate(found):
        step.item = place - len(found)
    return found


def output_steps(response: Any) -> Iterator[Step]:
    """What happened after the request, in order. Nested lists of items (transitions) are read through."""
    output = response.get("output") if isinstance(response, dict) else response
    if isinstance(output, str):
        yield Step(StepKind.MESSAGE, 0, output, role="assistant")
        return
    if not isinstance(output, list):
        return
    for index, item in enumerate(output):
        if isinstance(item, list):
            for inner in item:
                yield from _item_steps(inner, index)
        else:
            yield from _item_steps(item, index)


def _item_steps(item: Any, index: int, *, in_prompt: bool = False) -> Iterator[Step]:
    if isinstance(item, str):
        yield Step(StepKind.PROMPT if in_prompt else StepKind.MESSAGE, index, item, role="user" if in_prompt else "")
        return
    if not isinstance(item, dict):
        return
    given = item.get("type")
    kind = given if isinstance(given, str) else ""
    role = item.get("role")
    if kind == "reasoning":
        yield Step(StepKind.THOUGHT, index, thought_text(item))
    elif kind in _CALLS:
        yield from _call_steps(item, index)
    elif kind in _OUTPUTS or role == "tool":
        yield Step(StepKind.OUTPUT, index, output_text(item), call_id=_call_id(item), name=str(item.get("name") or ""))
    elif role is not None or kind == "message":
        yield from _message_steps(item, index, str(role or "assistant"), in_prompt=in_prompt)
    else:
        yield Step(StepKind.OTHER, index, part_text(item), name=kind)


def _message_steps(item: dict[str, Any], index: int, role: str, *, in_prompt: bool) -> Iterator[Step]:
    text = content_text(item.get("content"))
    if in_prompt:
        yield Step(StepKind.PROMPT, index, text, role=role)
        return
    if role in _FOREIGN_ROLES:
        yield Step(StepKind.USER, index, text, role=role)
        return
    thinking = item.get("reasoning_content")
    if isinstance(thinking, str) and thinking:
        yield Step(StepKind.THOUGHT, index, thinking)
    calls = item.get("tool_calls")
    chat_calls = calls if isinstance(calls, list) else []
    if text or not chat_calls:
        yield Step(StepKind.MESSAGE, index, text, role=role)
    for call in chat_calls:
        if isinstance(call, dict):
            function = call.get("function")
            yield from _call_steps({**call, **(function if isinstance(function, dict) else {})}, index)


def _call_steps(item: dict[str, Any], index: int) -> Iterator[Step]:
    arguments = item.get("arguments", item.get("input", item.get("action")))
    name = str(item.get("name") or item.get("type") or "")
    yield Step(StepKind.CALL, index, name=name, arguments=arguments, call_id=_call_id(item))
    result = item.get("output") if item.get("type") == "mcp_call" else None
    problem = item.get("error") if item.get("type") == "mcp_call" else None
    if result is not None or problem is not None:
        yield Step(StepKind.OUTPUT, index, content_text(result) or content_text(problem), call_id=_call_id(item))


def thought_text(item: dict[str, Any]) -> str:
    """The chain of thought: in `summary` on most paths, in `content` on newer ones."""
    return content_text(item.get("summary")) or content_text(item.get("content"))


def output_text(item: dict[str, Any]) -> str:
    """What a tool answered, as text."""
    value = item.get("output", item.get("content"))
    if isinstance(value, (str, list)):
        return content_text(value)
    return "" if value is None else _dumped(value)


def arguments_value(arguments: Any) -> Any:
    """A call's arguments as a value: JSON strings are parsed, what cannot be parsed stays a string."""
    if isinstance(arguments, str):
        try:
            return orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return arguments
    return arguments


def arguments_text(arguments: Any) -> str:
    """Arguments, or any value, as the text in which places are cited: strings as they stand, the rest as JSON."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else _dumped(arguments)


def _call_id(item: dict[str, Any]) -> str:
    value = item.get("call_id") or item.get("tool_call_id") or item.get("id")
    return value if isinstance(value, str) else ""


def _dumped(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        return str(value)
