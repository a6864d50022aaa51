"""What an Inspect sample keeps of a conversation: attachments put back, compacted messages found again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.translate.chat import Item, chat_items, content_words, role_of, text_item
from blade.translate.documents import as_mapping, as_rows

_ATTACHMENT = re.compile(r"attachment://([0-9a-fA-F]{8,64})")
MOST_ATTACHED = 512 << 20
"""Characters that attachments may add to one sample."""
_DEEPEST = 60


class Attachments:
    """Texts that a sample keeps once and names in many places."""

    def __init__(self, sample: Mapping[str, Any]) -> None:
        self._texts = as_mapping(sample.get("attachments"))
        self._room = MOST_ATTACHED

    def resolved(self, value: Any, depth: int = 0) -> Any:
        """The same value with every attachment in its place; what is missing stays a reference."""
        if not self._texts or depth > _DEEPEST:
            return value
        if isinstance(value, str):
            return _ATTACHMENT.sub(self._text, value) if "attachment://" in value else value
        if isinstance(value, dict):
            return {key: self.resolved(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.resolved(inner, depth + 1) for inner in value]
        return value

    def _text(self, match: re.Match[str]) -> str:
        text = self._texts.get(match[1])
        if not isinstance(text, str) or len(text) > self._room:
            return match[0]
        self._room -= len(text)
        return text


def conversation(sample: Mapping[str, Any], attached: Attachments) -> tuple[list[Item], list[Item]]:
    """The prompt and what followed. Answers that stand in the input (examples) are part of the prompt."""
    messages = [_plain(message) for message in as_rows(attached.resolved(_messages(sample)))]
    if not messages:
        return _input_items(attached.resolved(sample.get("input"))), []
    first = next((place for place, message in enumerate(messages) if _is_answer(message)), len(messages))
    return chat_items(messages[:first]), chat_items(messages[first:])


def _is_answer(message: Mapping[str, Any]) -> bool:
    return role_of(message) == "assistant" and message.get("source") != "input"


def _input_items(input_value: Any) -> list[Item]:
    if isinstance(input_value, list):
        return chat_items([_plain(message) for message in as_rows(input_value)])
    return [text_item("user", content_words(input_value))] if input_value else []


def _messages(sample: Mapping[str, Any]) -> list[Any]:
    """The final messages; where some were compacted away, every message that a model call saw or gave, in order."""
    final_messages = as_rows(sample.get("messages"))
    events = events_of(sample)
    if not any(event.get("event") == "compaction" for event in events):
        return list(final_messages)
    pool = as_rows(as_mapping(sample.get("events_data")).get("messages")) or as_rows(sample.get("message_pool"))
    every: dict[str, Mapping[str, Any]] = {}
    for message in (*_of_calls(events, pool), *final_messages):
        every.setdefault(str(message.get("id") or f"without id {len(every)}"), message)
    return list(every.values())


def _of_calls(events: Sequence[Mapping[str, Any]], pool: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for event in model_calls(events):
        yield from _referenced(event.get("input_refs"), pool) or as_rows(event.get("input"))
        for choice in as_rows(as_mapping(event.get("output")).get("choices"))[:1]:
            if isinstance(choice.get("message"), Mapping):
                yield choice["message"]


def _referenced(refs: Any, pool: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Ranges of the pool: pairs of first and behind the last."""
    messages: list[Mapping[str, Any]] = []
    for ref in refs if isinstance(refs, list) else []:
        if isinstance(ref, list) and len(ref) == 2 and all(isinstance(end, int) and end >= 0 for end in ref):
            messages.extend(pool[ref[0] : ref[1]])
    return messages


def events_of(sample: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return as_rows(sample.get("events")) or as_rows(as_mapping(sample.get("transcript")).get("events"))


def model_calls(events: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Calls of the model that is evaluated: what scorers ask comes after their span began."""
    for event in events:
        if event.get("event") == "span_begin" and event.get("type") == "scorers":
            return
        if event.get("event") == "model":
            yield event


def grader_calls(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Calls of models that scorers ask: those after the span of the scorers began."""
    scoring = False
    calls = []
    for event in events:
        scoring = scoring or (event.get("event") == "span_begin" and event.get("type") == "scorers")
        if scoring and event.get("event") == "model":
            calls.append(event)
    return calls


def _plain(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message as other programs write it: what a tool refused in its text, server-side calls with their results."""
    if role_of(message) == "tool" and isinstance(message.get("error"), Mapping):
        text, refused = content_words(message.get("content")), content_words(message["error"].get("message"))
        joined = text if refused in text else f"{text}\n{refused}".strip()
        return {**message, "content": joined}
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [plain for part in content for plain in _parts(part)]}


def _parts(part: Any) -> list[Any]:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "reasoning" and part.get("redacted"):
        return [{"type": "reasoning", "reasoning": part.get("summary") or "[redacted]"}]
    if kind == "tool_use" and ("result" in part or "error" in part):
        call_id = str(part.get("id") or "")
        result = {"type": "tool_result", "tool_use_id": call_id, "content": part.get("result") or part.get("error")}
        return [{**part, "id": call_id}, result]
    return [part]
