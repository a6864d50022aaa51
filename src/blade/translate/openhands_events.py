"""The events of OpenHands as items: actions and observations of V0, old and new, and the events of the SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from blade.translate.chat import (
    Item,
    arguments_text,
    call_item,
    content_words,
    result_item,
    text_item,
    thought_item,
)
from blade.translate.documents import as_mapping, as_rows, json_value

_SILENT = {"recall", "agent_state_changed", "null", "condensation", "condensation_request", "change_agent_state"}
"""Events of the machinery: nothing that the agent did or saw."""
_MARKS = {
    "thought",
    "action_risk",
    "security_risk",
    "is_confirmed",
    "confirmation_state",
    "keep_prompt",
    "hidden",
    "blocking",
}
"""Arguments of an action that say how it was taken and not what it is."""
_OF_EVENT = {
    "id",
    "timestamp",
    "source",
    "message",
    "cause",
    "action",
    "observation",
    "tool_call_metadata",
    "llm_metrics",
}


def conversation(history: Any) -> tuple[list[Item], list[Item]]:
    """The prompt and what followed; the prompt ends where the agent first acts."""
    prompt: list[Item] = []
    output: list[Item] = []
    responses: set[str] = set()
    last = ""
    for number, event in enumerate(_flat(history)):
        items, is_prompt = list(_items(event, f"event_{event.get('id', number)}", responses, last)), _is_given(event)
        last = next((item["call_id"] for item in reversed(items) if item["type"] == "function_call"), last)
        (prompt if is_prompt and not output else output).extend(items)
    return prompt, output


def _flat(history: Any) -> Iterator[Mapping[str, Any]]:
    """The events; early builds keep pairs of an action and what came of it."""
    for entry in history if isinstance(history, list) else ():
        if isinstance(entry, Mapping):
            yield entry
        else:
            yield from as_rows(entry)


def _word(event: Mapping[str, Any], key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""


def _is_given(event: Mapping[str, Any]) -> bool:
    kind = _word(event, "kind")
    if kind:
        return kind == "SystemPromptEvent" or (kind == "MessageEvent" and event.get("source") == "user")
    action = _word(event, "action")
    spoken = action in {"system", "recall"} or _word(event, "observation") == "recall"
    return spoken or (action == "message" and event.get("source") != "agent")


def _items(event: Mapping[str, Any], event_id: str, responses: set[str], last: str) -> Iterator[Item]:
    action, observation = _word(event, "action"), _word(event, "observation")
    if _word(event, "kind"):
        yield from _sdk_items(event)
    elif action in _SILENT or observation in _SILENT:
        return
    elif action:
        yield from _action_items(event, event_id, responses)
    elif observation:
        call_id = as_mapping(event.get("tool_call_metadata")).get("tool_call_id")
        call = call_id or (f"event_{event['cause']}" if event.get("cause") is not None else last)
        yield result_item(content_words(event.get("content")), str(call))


def _action_items(event: Mapping[str, Any], event_id: str, responses: set[str]) -> Iterator[Item]:
    """What was said, and the call; a response that made several calls is told once."""
    kind = str(event["action"])
    content = event.get("args")
    args = content if isinstance(content, Mapping) else {key: event[key] for key in event if key not in _OF_EVENT}
    words = content_words(args.get("content") or event.get("message"))
    if kind in {"system", "message"}:
        role = "system" if kind == "system" else "user" if event.get("source") != "agent" else "assistant"
        if words:
            yield text_item(role, words)
        return
    called = as_mapping(event.get("tool_call_metadata"))
    response = as_mapping(called.get("model_response"))
    message = as_mapping(as_mapping(next(iter(as_rows(response.get("choices"))), {})).get("message"))
    speech = content_words(message.get("content")) or content_words(args.get("thought")) * (kind != "think")
    response_id = str(response.get("id") or "")
    if speech and (not response_id or response_id not in responses):
        yield text_item("assistant", speech)
    responses.add(response_id)
    if kind == "think":
        yield thought_item(content_words(args.get("thought")))
    place = called.get("tool_call_id") or event_id
    yield call_item(str(called.get("function_name") or kind), _arguments(message, place, args), str(place))


def _arguments(message: Mapping[str, Any], call_id: Any, args: Mapping[str, Any]) -> str:
    """As the model wrote them; where that was not kept, the arguments of the action."""
    for call in as_rows(message.get("tool_calls")):
        if call.get("id") == call_id:
            return arguments_text(as_mapping(call.get("function")).get("arguments"))
    return arguments_text({key: value for key, value in args.items() if key not in _MARKS})


def _sdk_items(event: Mapping[str, Any]) -> Iterator[Item]:
    kind, place = event["kind"], str(event.get("tool_call_id") or event.get("id") or "")
    if kind == "SystemPromptEvent":
        yield text_item("system", content_words(event.get("system_prompt")))
    elif kind == "MessageEvent":
        message = as_mapping(event.get("llm_message"))
        words = content_words(message.get("content"))
        if words:
            yield text_item("assistant" if event.get("source") == "agent" else "user", words)
    elif kind == "ActionEvent":
        yield from _sdk_action(event, place)
    elif kind == "ObservationEvent":
        yield result_item(content_words(event.get("observation")), place)
    elif kind in {"AgentErrorEvent", "UserRejectObservation"}:
        yield result_item(content_words(event.get("error") or event.get("rejection_reason")), place)
    elif kind == "ConversationErrorEvent":
        yield text_item("environment", content_words(event.get("detail") or event.get("code")))


def _sdk_action(event: Mapping[str, Any], place: str) -> Iterator[Item]:
    thought = event.get("reasoning_content")
    if isinstance(thought, str) and thought.strip():
        yield thought_item(thought)
    speech = content_words(event.get("thought"))
    if speech:
        yield text_item("assistant", speech)
    call = as_mapping(event.get("tool_call"))
    inner = as_mapping(call.get("function")) or call
    arguments = json_value(inner.get("arguments")) or event.get("action") or {}
    yield call_item(str(event.get("tool_name") or inner.get("name") or ""), arguments, place)
