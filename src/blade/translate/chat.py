"""Chat messages, as most programs keep them, as the items of a response: who spoke, what was called, what came back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

Item = dict[str, Any]
DEEPEST = 20
"""How deep a content is looked into for its words."""
_MODEL = {"assistant", "ai", "model", "agent"}
_TOOL = {"tool", "function", "ipython", "tool_result"}
_SPEAKERS = {"human": "user", "customer": "user"} | dict.fromkeys(_MODEL, "assistant")


def split_chat(messages: Sequence[Mapping[str, Any]]) -> tuple[list[Item], list[Item]]:
    """The prompt and what followed: the prompt ends where the model first speaks."""
    first = next((place for place, message in enumerate(messages) if role_of(message) in _MODEL), len(messages))
    return chat_items(messages[:first]), chat_items(messages[first:])


def chat_items(messages: Iterable[Mapping[str, Any]]) -> list[Item]:
    items: list[Item] = []
    for message in messages:
        if isinstance(message, dict):
            _add(items, message)
    return items


def role_of(message: Any) -> str:
    role = message.get("role") if isinstance(message, dict) else None
    return role.lower() if isinstance(role, str) else str(role or "").lower()


def text_item(role: str, text: str) -> Item:
    return {"type": "message", "role": role, "content": text}


def thought_item(text: str) -> Item:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def call_item(name: str, arguments: Any, call_id: str) -> Item:
    """A call; arguments that are no text are written as JSON."""
    return {"type": "function_call", "name": name, "arguments": arguments_text(arguments), "call_id": call_id}


def result_item(text: str, call_id: str) -> Item:
    return {"type": "function_call_output", "output": text, "call_id": call_id}


def arguments_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return as_json({} if arguments is None else arguments)


def as_json(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        pass
    try:
        return str(value)
    except RecursionError:
        return "[nested too deeply]"


def _add(items: list[Item], message: dict[str, Any]) -> None:
    role = role_of(message)
    content = message.get("content")
    if role in _TOOL:
        items.append(result_item(content_words(content), _result_id(message)))
        return
    thought = message.get("reasoning_content") or message.get("reasoning")
    if thought and isinstance(thought, str) and not thought.isspace():
        items.append(thought_item(thought))
    speaker = _SPEAKERS.get(role, role or "user")
    if isinstance(content, list):
        items += _content_items(speaker, content)
    elif text := content_words(content):
        items.append(text_item(speaker, text))
    if message.get("tool_calls") or "function_call" in message:
        items += [_call(call, place) for place, call in enumerate(_calls(message))]


def _result_id(message: Mapping[str, Any]) -> str:
    return str(message.get("tool_call_id") or message.get("id") or message.get("name") or "")


def _calls(message: Mapping[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        return [_parsed(call) for call in calls]
    single = message.get("function_call")
    return [single] if isinstance(single, dict) else []


def _parsed(call: Any) -> Any:
    """A call, also where it was written down as JSON in a text."""
    if not isinstance(call, str):
        return call
    try:
        return orjson.loads(call)
    except orjson.JSONDecodeError:
        return {"name": "", "arguments": call}


def _call(call: Any, place: int) -> Item:
    if not isinstance(call, dict):
        return call_item("", call, f"call_{place}")
    function = call.get("function")
    inner = function if isinstance(function, dict) else call
    name = inner.get("name") or (function if isinstance(function, str) else "") or call.get("tool_name") or ""
    arguments = inner.get("arguments", call.get("arguments"))
    call_id = call.get("id") or call.get("tool_call_id") or call.get("call_id") or name or f"call_{place}"
    return call_item(str(name), arguments, str(call_id))


def _content_items(role: str, content: Sequence[Any]) -> Iterator[Item]:
    """Texts and thoughts of a message in their order; blocks of calls and results, as Anthropic's API writes them."""
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in {"reasoning", "thinking"}:
            thought = part.get("reasoning") or part.get("thinking") or part.get("text") or part.get("summary") or ""
            if str(thought).strip():
                yield thought_item(str(thought))
        elif kind == "tool_use":
            yield call_item(
                str(part.get("name") or ""), part.get("input", part.get("arguments")), str(part.get("id") or "")
            )
        elif kind == "tool_result":
            yield result_item(content_words(part.get("content")), str(part.get("tool_use_id") or ""))
        elif text := content_words(part):
            yield text_item(role, text)


def content_words(content: Any, depth: int = 0) -> str:
    """The text of a content, whatever its shape; pictures and sounds stand as a word and their length."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if depth > DEEPEST:
        return as_json(content)
    if isinstance(content, list):
        return "\n".join(filter(None, (content_words(part, depth + 1) for part in content)))
    if not isinstance(content, dict):
        return str(content)
    for key in ("text", "content", "output", "refusal"):
        if isinstance(content.get(key), (str, list)):
            return content_words(content[key], depth + 1)
    kind = str(content.get("type") or "")
    if kind in {"image", "image_url", "audio", "video", "document", "input_image", "data"}:
        return f"[{kind}, {len(as_json(content)):,} characters]"
    return as_json(dict(content))
