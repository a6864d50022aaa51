"""Rows of a prompt, a completion and a reward: what programs for reinforcement learning write for each rollout."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from blade.translate.documents import json_value

NEEDED = {"prompt", "completion", "reward"}
IDS = ("example_id", "problem_id", "id")
_OF_GYM = {"response", "responses_create_params", "_ng_task_index"}


def is_completion(row: Collection[str]) -> bool:
    """Whether a row is such, by its keys: a prompt, a completion, a reward and the id of an example."""
    keys = set(row)
    return keys >= NEEDED and not _OF_GYM & keys and any(name in keys for name in IDS)


def with_call_ids(messages: Sequence[Any]) -> list[Any]:
    """Results of tools that do not say which call they answer are given to the calls in their order.

    Calls that were written down as JSON in texts are objects here.
    """
    waiting: list[str] = []
    numbered = []
    for message in messages:
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        if waiting and isinstance(message, dict) and message.get("role") == "tool" and not message.get("tool_call_id"):
            numbered.append({**message, "tool_call_id": waiting.pop(0)})
        elif isinstance(calls, list):
            read = list(map(json_value, calls))
            waiting = [str(call["id"]) for call in read if isinstance(call, dict) and call.get("id")]
            numbered.append({**message, "tool_calls": read})
        else:
            numbered.append(message)
    return numbered
