"""The ordered steps of a rollout, from every item type that Gym builds have written."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import orjson

from blade.extract.environment_text import environment_parts
from blade.extract.observed_items import observed_items
from blade.extract.text import content_text, part_text
from blade.extract.text_calls import with_text_calls
from blade.model import Step, StepKind
from blade.shared_json import once
from blade.wording import LONGEST_NAME

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
_FOREIGN_ROLES = frozenset("user system developer human customer simulated_user user_simulator".split())
_ENVIRONMENT_ROLES = frozenset("environment env observation terminal console sandbox harness".split())
_TOOL_ROLES = ("tool", "function", "ipython", "tool_result")
_PROMPT, _THOUGHT, _MESSAGE, _CALL = StepKind.PROMPT, StepKind.THOUGHT, StepKind.MESSAGE, StepKind.CALL
_OUTPUT, _USER, _OTHER, _ENVIRONMENT = StepKind.OUTPUT, StepKind.USER, StepKind.OTHER, StepKind.ENVIRONMENT
"""By their own names: to ask the class for a member costs more than the rest of a step."""
LONGEST_SHOWN = 50


def prompt_steps(request: Any) -> list[Step]:
    """The request as steps with negative item numbers; `instructions` comes first, as a system message."""
    memo = once(request)
    if memo is None:
        return _prompt_steps(request)
    if "prompt" not in memo:
        memo["prompt"] = _prompt_steps(request)
    return memo["prompt"]  # type: ignore[no-any-return]


def _prompt_steps(request: Any) -> list[Step]:
    if not isinstance(request, dict):
        return []
    steps: list[Step] = []
    instructions = request.get("instructions")
    if isinstance(instructions, str) and instructions:
        steps.append(Step(_PROMPT, 0, instructions, role="system"))
    request_input = request.get("input")
    if isinstance(request_input, str):
        steps.append(Step(_PROMPT, 0, request_input, role="user"))
    elif isinstance(request_input, list):
        for item in request_input:
            _add_prompt(steps, item)
    for place, step in enumerate(steps):
        step.item = place - len(steps)
    return steps


def _add_prompt(steps: list[Step], item: Any) -> None:
    """An item of the request. Its messages are the prompt; calls and answers in it are what they are anywhere."""
    if isinstance(item, str):
        steps.append(Step(_PROMPT, 0, item, role="user"))
    elif isinstance(item, dict):
        item_type, role = item.get("type"), item.get("role")
        kind = item_type if isinstance(item_type, str) else ""
        spoken = (role is not None and role not in _TOOL_ROLES) or kind == "message"
        if spoken and kind != "reasoning" and kind not in _CALLS and kind not in _OUTPUTS:
            steps.append(
                Step(_PROMPT, 0, content_text(item.get("content")), role=str(role or "assistant")[:LONGEST_NAME])
            )
        else:
            _add_item(steps, item, 0)


def row_steps(row: dict[str, Any]) -> list[Step]:
    """What happened after the request: by the response, else, where it holds nothing, by what an observer saw."""
    steps = output_steps(row.get("response"))
    if not steps and "ng_trajectory" in row:
        return output_steps({"output": observed_items(row["ng_trajectory"])})
    return steps


def output_steps(response: Any) -> list[Step]:
    """What happened after the request, in order. Nested lists of items (transitions) are read through.

    Where each list repeats the one before it and goes on, only the last is read: nothing was done twice.
    """
    output = response.get("output") if isinstance(response, dict) else response
    if isinstance(output, str):
        message_steps: list[Step] = []
        _add_words(message_steps, output, 0, "assistant")
        return message_steps
    if not isinstance(output, list):
        return []
    steps: list[Step] = []
    first = len(output) - 1 if _repeats_itself(output) else 0
    for index, item in enumerate(output[first:], first):
        if not isinstance(item, dict):
            for inner in item if isinstance(item, list) else (item,):
                _add_item(steps, inner, index)
        elif not _add_plain(steps, item, index):
            _add_item(steps, item, index)
    return with_text_calls(steps) if _CALL not in [step.kind for step in steps] else steps


def _repeats_itself(output: list[Any]) -> bool:
    """Whether the items are lists of which each begins with the whole of the one before."""
    if len(output) < 2 or not all(isinstance(item, list) and item for item in output):
        return False
    return all(later[: len(earlier)] == earlier for earlier, later in pairwise(output))


def _add_plain(steps: list[Step], item: dict[str, Any], index: int) -> bool:
    """The items of the Responses API as nearly all rows write them, read without asking for more."""
    kind = item.get("type")
    if kind == "function_call":
        name, arguments, call_id = item.get("name"), item.get("arguments"), item.get("call_id")
        if isinstance(name, str) and isinstance(arguments, str) and isinstance(call_id, str) and name and call_id:
            steps.append(Step(_CALL, index, "", name[:LONGEST_NAME], arguments, call_id))
            return True
    elif kind == "function_call_output":
        output, call_id = item.get("output"), item.get("call_id")
        if isinstance(output, str) and isinstance(call_id, str) and call_id and "name" not in item:
            steps.append(Step(_OUTPUT, index, output, "", None, call_id))
            return True
    elif kind == "message":
        if item.get("role") == "assistant" and "tool_calls" not in item and "reasoning_content" not in item:
            _add_words(steps, content_text(item.get("content")), index, "assistant")
            return True
    elif kind == "reasoning":
        steps.append(Step(_THOUGHT, index, content_text(item.get("summary")) or content_text(item.get("content"))))
        return True
    return False


def _add_item(steps: list[Step], item: Any, index: int) -> None:
    if not isinstance(item, dict):
        if isinstance(item, str):
            _add_words(steps, item, index, "")
        return
    item_type = item.get("type")
    kind = item_type if isinstance(item_type, str) else ""
    if kind in _CALLS:
        _add_call(steps, item, index)
    elif kind == "reasoning":
        steps.append(Step(_THOUGHT, index, thought_text(item)))
    elif kind in _OUTPUTS or item.get("role") in _TOOL_ROLES:
        steps.append(Step(_OUTPUT, index, output_text(item), _short_name(item, ""), None, _call_id(item)))
    elif kind == "message" or item.get("role") is not None:
        _add_message(steps, item, index)
    else:
        steps.append(Step(_OTHER, index, part_text(item), kind[:LONGEST_NAME]))


def _add_message(steps: list[Step], item: dict[str, Any], index: int) -> None:
    role = str(item.get("role") or "assistant")[:LONGEST_NAME]
    text = content_text(item.get("content"))
    if role in _FOREIGN_ROLES or role in _ENVIRONMENT_ROLES:
        steps.append(Step(_USER if role in _FOREIGN_ROLES else _ENVIRONMENT, index, text, role=role))
        return
    thinking = item.get("reasoning_content")
    if isinstance(thinking, str) and thinking:
        steps.append(Step(_THOUGHT, index, thinking))
    calls = item.get("tool_calls")
    chat_calls = calls if isinstance(calls, list) else []
    if text or not chat_calls:
        _add_words(steps, text, index, role)
    for call in chat_calls:
        if isinstance(call, dict):
            function = call.get("function")
            _add_call(steps, {**call, **function} if isinstance(function, dict) else call, index)


def _add_words(steps: list[Step], text: str, index: int, role: str) -> None:
    """A message of the assistant; what a screen or a log wrote in it is a step of the environment."""
    parts = environment_parts(text)
    if not parts:
        steps.append(Step(_MESSAGE, index, text, "", None, "", role))
        return
    at = 0
    for start, end in parts:
        if text[at:start].strip():
            steps.append(Step(_MESSAGE, index, text[at:start], "", None, "", role, at))
            at = start
        steps.append(Step(_ENVIRONMENT, index, text[at:end], "", None, "", "environment", at))
        at = end
    if text[at:].strip():
        steps.append(Step(_MESSAGE, index, text[at:], "", None, "", role, at))
    else:
        steps[-1].text += text[at:]


def _add_call(steps: list[Step], item: dict[str, Any], index: int) -> None:
    arguments = item["arguments"] if "arguments" in item else item.get("input", item.get("action"))
    kind = item.get("type")
    call_id = _call_id(item)
    steps.append(Step(_CALL, index, "", _short_name(item, kind), arguments, call_id))
    if kind == "mcp_call":
        result, problem = item.get("output"), item.get("error")
        if result is not None or problem is not None:
            steps.append(Step(_OUTPUT, index, content_text(result) or content_text(problem), call_id=call_id))


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


def shown_value(value: Any) -> str:
    """One value of some arguments in a sentence: in quotes, and cut where it is long."""
    if value is None:
        return "left out"
    text = arguments_text(value)
    short = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
    return f"'{short}'"


def _short_name(item: dict[str, Any], otherwise: Any) -> str:
    """The name of a call's tool: its beginning, where it is longer than any name; so a quote of it still proves."""
    return str(item.get("name") or otherwise or "")[:LONGEST_NAME]


def _call_id(item: dict[str, Any]) -> str:
    value = item.get("call_id") or item.get("tool_call_id") or item.get("id")
    return value if isinstance(value, str) else ""


def _dumped(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        return str(value)
