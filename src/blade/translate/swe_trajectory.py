"""Trajectories of mini-swe-agent and SWE-agent as items: what was said, which command was run, what came back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blade.translate.chat import Item, call_item, chat_items, content_words, result_item, role_of, split_chat, text_item
from blade.translate.documents import as_mapping, as_rows
from blade.translate.rollout_row import score_of

SAMPLING = ("temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "seed", "reasoning_effort")
_COMMAND = re.compile(r"```(?:bash|sh|shell|mswea_bash_command)?\s*\n(.*?)\n?```", re.DOTALL)


@dataclass(slots=True)
class TrajectoryParts:
    """The parts of a trajectory that a row has."""

    prompt: list[Item] = field(default_factory=list)
    output: list[Item] = field(default_factory=list)
    usage: dict[str, float] = field(default_factory=dict)
    ended: str = ""
    patch: str | None = None
    sampling: dict[str, Any] = field(default_factory=dict)
    """What the model was called with: temperature and the like, never a nested setting or a key."""


def trajectory_parts(content: Any) -> TrajectoryParts | None:
    """The parts of a trajectory file; None where it is none."""
    trajectory_file = as_mapping(content)
    info = as_mapping(trajectory_file.get("info"))
    if as_rows(trajectory_file.get("messages")):
        parts = _mini(as_rows(trajectory_file["messages"]))
    elif isinstance(trajectory_file.get("trajectory"), list):
        parts = _swe_agent(trajectory_file)
    else:
        return None
    parts.ended = str(info.get("exit_status") or "")
    submission = info.get("submission")
    parts.patch = submission if isinstance(submission, str) else None
    settings = as_mapping(as_mapping(as_mapping(info.get("config")).get("model")).get("model_kwargs"))
    parts.sampling = {name: settings[name] for name in SAMPLING if isinstance(settings.get(name), int | float | str)}
    stats = as_mapping(info.get("model_stats"))
    for name, key in (("input_tokens", "tokens_sent"), ("output_tokens", "tokens_received")):
        value = score_of(stats.get(key))
        if value:
            parts.usage[name] = value
    return parts


def _mini(messages: Sequence[Mapping[str, Any]]) -> TrajectoryParts:
    """mini-swe-agent: calls of tools, or one command in a block of the text, answered by the next message."""
    prompt, output = split_chat(messages)
    parts = TrajectoryParts(prompt, output, _usage(messages))
    if not any(item["type"] == "function_call" for item in output):
        parts.output = _text_commands(messages[len(prompt) :] if len(prompt) <= len(messages) else [])
    return parts


def _text_commands(messages: Sequence[Mapping[str, Any]]) -> list[Item]:
    items: list[Item] = []
    open_call = ""
    for number, message in enumerate(messages):
        text = content_words(message.get("content"))
        if role_of(message) == "assistant":
            items.append(text_item("assistant", text))
            commands = _COMMAND.findall(text)
            open_call = f"call_{number}" if len(commands) == 1 else ""
            if open_call:
                items.append(call_item("bash", {"command": commands[0]}, open_call))
        elif open_call:
            items.append(result_item(text, open_call))
            open_call = ""
        else:
            items.extend(chat_items([message]))
    return items


def _usage(messages: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What the replies of the provider say was used, added up."""
    used: dict[str, float] = {}
    for message in messages:
        reply = as_mapping(as_mapping(as_mapping(message.get("extra")).get("response")).get("usage"))
        for name, key in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")):
            value = score_of(reply.get(key))
            if value is not None:
                used[name] = used.get(name, 0.0) + value
    return used


def _swe_agent(trajectory_file: Mapping[str, Any]) -> TrajectoryParts:
    """SWE-agent: steps of a thought, an action and an observation; the prompt stands in the history."""
    history = [entry for entry in as_rows(trajectory_file.get("history")) if not entry.get("is_demo")]
    prompt, _ = split_chat(history)
    items: list[Item] = []
    for number, step in enumerate(as_rows(trajectory_file.get("trajectory"))):
        message_text = content_words(step.get("response")) or content_words(step.get("thought"))
        if message_text.strip():
            items.append(text_item("assistant", message_text))
        action = content_words(step.get("action")).strip()
        if action:
            items.append(call_item(action.split(maxsplit=1)[0], {"command": action}, f"call_{number}"))
            items.append(result_item(content_words(step.get("observation")), f"call_{number}"))
    return TrajectoryParts(prompt, items)
