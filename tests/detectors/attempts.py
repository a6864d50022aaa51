"""Short words for rollouts, so that a detector's cases read as stories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from blade.evidence import stands
from blade.extract.attempt import Attempt
from blade.findings import Sighting, State

__all__ = [
    "CLEAN",
    "FIRED",
    "GUARDED",
    "NOT_APPLICABLE",
    "Attempt",
    "attempt",
    "call",
    "proved",
    "say",
    "think",
    "tool",
    "user",
]

Item = dict[str, Any]


def say(text: str) -> Item:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def think(text: str) -> Item:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def user(text: str) -> Item:
    return {"role": "user", "content": text}


def call(name: str, arguments: Any = None, answer: Any = None, call_id: str = "") -> list[Item]:
    """A call and its answer; no answer where None is given."""
    known = call_id or f"call_{name}_{json.dumps(arguments, sort_keys=True, default=str)}"
    written = arguments if isinstance(arguments, str) else json.dumps(arguments if arguments is not None else {})
    made: list[Item] = [{"type": "function_call", "name": name, "arguments": written, "call_id": known}]
    if answer is not None:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        made.append({"type": "function_call_output", "call_id": known, "output": text})
    return made


def tool(name: str, /, required: Sequence[str] = (), description: str = "", **properties: Any) -> Item:
    """A tool to offer; each property is a JSON Schema type or a whole schema."""
    shapes = {key: {"type": shape} if isinstance(shape, str) else shape for key, shape in properties.items()}
    parameters = {"type": "object", "properties": shapes, "required": list(required)}
    return {"type": "function", "name": name, "description": description, "parameters": parameters}


def attempt(
    *items: Item | list[Item],
    prompt: str = "Do the task.",
    system: str = "",
    tools: Sequence[Item] = (),
    reward: Any = 0.0,
    response: dict[str, Any] | None = None,
    **fields: Any,
) -> Attempt:
    """One rollout row, as an attempt; `response` adds to the response object, `fields` to the row."""
    output = [inner for item in items for inner in (item if isinstance(item, list) else [item])]
    request: dict[str, Any] = {"input": [{"role": "user", "content": prompt}]}
    if system:
        request["input"].insert(0, {"role": "system", "content": system})
    if tools:
        request["tools"] = list(tools)
    row: dict[str, Any] = {"_ng_task_index": 0, "_ng_rollout_index": 0, "responses_create_params": request}
    row["response"] = {"id": "r", "output": output, "model": "m", "status": "completed", **(response or {})}
    return Attempt({**row, "reward": reward, **fields})


def proved(made: Attempt, sighting: Sighting) -> bool:
    """Whether every cite of a sighting stands in the rollout where it says."""
    return all(stands(made.row, cite) for cite in sighting.cites)


FIRED, CLEAN, NOT_APPLICABLE, GUARDED = State.FIRED, State.CLEAN, State.NOT_APPLICABLE, State.GUARDED
