"""The items of a transcript out of `ng_trajectory`: what an observer saw where the agent returned no output.

The conversation of the first invocation comes first: it is a transcript in the items of the Responses API. Else the
answers of the captured model calls are put together, else the turns. Outputs of tools are put behind their calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.numbers import number

Item = dict[str, Any]
_ASKED = {"user", "system", "developer"}


def observed_items(trajectory: Any) -> list[Item]:
    """The items in order, without the request that they begin with; none where nothing was observed."""
    if not isinstance(trajectory, dict):
        return []
    tools = _dicts(trajectory.get("tool_calls"))
    outputs = {str(tool["tool_call_id"]): tool for tool in tools if tool.get("tool_call_id")}
    items = _conversation(trajectory) or _answers(trajectory)
    return list(_with_outputs(items, outputs)) if items else list(_turns(trajectory, tools))


def _conversation(trajectory: Item) -> list[Item]:
    """What the root invocations said and heard; a subagent's own conversation is not the attempt's."""
    invocations = _dicts(trajectory.get("invocations"))
    roots = [invocation for invocation in invocations if not invocation.get("parent_invocation_id")] or invocations[:1]
    items = [item for invocation in roots for item in _dicts(invocation.get("conversation"))]
    begin = next((place for place, item in enumerate(items) if item.get("role") not in _ASKED), len(items))
    return items[begin:]


def _answers(trajectory: Item) -> list[Item]:
    calls = _dicts(trajectory.get("model_calls"))
    if all(number(call.get("started_at")) is not None for call in calls):
        calls = sorted(calls, key=lambda call: number(call["started_at"]) or 0.0)
    return [item for call in calls for item in _payload(call.get("response"))]


def _payload(response: Any) -> Iterator[Item]:
    """The items of one answer, in the dialect of the Responses, the chat or the messages API."""
    if not isinstance(response, dict):
        return
    yield from _dicts(response.get("output"))
    for choice in _dicts(response.get("choices"))[:1]:
        message = choice.get("message")
        if isinstance(message, dict):
            yield {"role": "assistant", **message}
    for part in _dicts(response.get("content")):
        if part.get("type") == "thinking":
            yield _thought(part.get("thinking"))
        elif part.get("type") == "text":
            yield _message("assistant", part.get("text"))
        else:
            yield part


def _with_outputs(items: list[Item], outputs: dict[str, Item]) -> Iterator[Item]:
    """The items, with the outputs that stand among the tool calls alone right behind the calls they belong to."""
    answered_ids = {
        item.get("call_id") or item.get("tool_call_id") for item in items if "output" in item or _is_tool(item)
    }
    for item in items:
        yield item
        for call in (item, *_dicts(item.get("tool_calls"))):
            name = str(call.get("call_id") or call.get("id") or "")
            if name in outputs and name not in answered_ids:
                answered_ids.add(name)
                yield _output(outputs[name])


def _turns(trajectory: Item, tools: list[Item]) -> Iterator[Item]:
    """Questions and answers; a tool stands in the last turn that had begun when it was called."""
    roots = {
        invocation.get("invocation_id")
        for invocation in _dicts(trajectory.get("invocations"))
        if not invocation.get("parent_invocation_id")
    }
    turns = [turn for turn in _dicts(trajectory.get("turns")) if not roots or turn.get("invocation_id") in roots]
    turns.sort(key=lambda turn: (number(turn.get("timestamp")) or 0.0, number(turn.get("turn_no")) or 0.0))
    begun = [number(turn.get("timestamp")) or 0.0 for turn in turns]
    called: list[list[Item]] = [[] for _ in turns]
    for tool in tools if turns else ():
        at = number(tool.get("started_at"))
        place = len(turns) - 1 if at is None else max(sum(start <= at for start in begun) - 1, 0)
        called[place].append(tool)
    for place, turn in enumerate(turns):
        if place and turn.get("question"):
            yield _message("user", turn["question"])
        if turn.get("reasoning_content"):
            yield _thought(turn["reasoning_content"])
        for tool in called[place]:
            name, call_id = str(tool.get("tool_name") or "tool"), str(tool.get("tool_call_id") or "")
            yield {"type": "function_call", "name": name, "arguments": "", "call_id": call_id}
            yield _output(tool)
        if turn.get("answer"):
            yield _message("assistant", turn["answer"])


def _output(tool: Item) -> Item:
    return {
        "type": "function_call_output",
        "call_id": str(tool.get("tool_call_id") or ""),
        "output": tool.get("output"),
    }


def _message(role: str, content: Any) -> Item:
    return {"type": "message", "role": role, "content": content}


def _thought(content: Any) -> Item:
    return {"type": "reasoning", "summary": content}


def _is_tool(item: Item) -> bool:
    return item.get("role") == "tool" or item.get("type") == "tool_result"


def _dicts(value: Any) -> list[Item]:
    return [record for record in value if isinstance(record, dict)] if isinstance(value, list) else []
