"""The request of a row: the task's own text, the prompt around it, and the sampling settings."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import orjson

from blade.extract.numbers import integer
from blade.extract.schema import tools_key
from blade.extract.text import canonical, clean, clip, hash_text, hash_value, squeeze
from blade.extract.transcript import prompt_steps
from blade.model import Step
from blade.shared_json import once

HEAD = 160
LONGEST = 200
DEEPEST = 8
_SAMPLING = (
    "temperature",
    "top_p",
    "max_output_tokens",
    "max_tool_calls",
    "tool_choice",
    "parallel_tool_calls",
    "truncation",
    "reasoning",
)
_ANSWERED = ("temperature", "top_p", "max_output_tokens")
REMEMBERED = 4096
_TOOLS: dict[int, int] = {}
_TEXT_FIELDS = ("question", "problem_statement", "problem", "prompt", "instruction", "task_description", "sql_prompt")


def request_facts(row: dict[str, Any], prompt: list[Step] | None = None) -> dict[str, Any]:
    """Hashes and settings of the request. The same function reads rollout rows and input rows."""
    request = row.get("responses_create_params")
    memo = once(request)
    if memo is not None and "facts" in memo:
        return dict(memo["facts"])
    steps = prompt_steps(request) if prompt is None else prompt
    text = next((squeeze(step.text) for step in reversed(steps) if step.role == "user" and step.text.strip()), "")
    if text:
        facts = _facts(request, steps, text)
        if memo is not None:
            memo["facts"] = dict(facts)
        return facts
    return _facts(request, steps, _text_outside(row, request))


def _facts(request: Any, steps: list[Step], text: str) -> dict[str, Any]:
    system = "\n".join(squeeze(step.text) for step in steps if step.role in {"system", "developer"})
    facts: dict[str, Any] = {
        "text_hash": hash_text(text) if text else None,
        "text_head": clip(text, HEAD) if text else None,
        "prompt_hash": hash_value([[step.role, squeeze(step.text)] for step in steps]) if steps else None,
        "system_hash": hash_text(system) if system else None,
    }
    if isinstance(request, dict):
        facts |= _settings(request)
    return facts


def _settings(request: dict[str, Any]) -> dict[str, Any]:
    tools = request.get("tools")
    offered = tools if isinstance(tools, list) else []
    settings: dict[str, Any] = {}
    for name in _SAMPLING:
        _choose(settings, name, request.get(name))
    extra = _extra_body(request.get("metadata"))
    seed = integer(extra.pop("seed", None))
    _choose(settings, "extra_body", extra)
    return {
        "sampling": canonical({name: _setting(value) for name, value in settings.items()}).decode()
        if settings
        else None,
        "seed": seed,
        "tools_hash": _tools_hash(offered) if offered else None,
        "tools_offered": len(offered),
    }


def with_answered_settings(sampling: str | None, response: Any) -> str | None:
    """The sampling settings, with those that only the response names: what was sampled with, set or by default."""
    if not isinstance(response, dict):
        return sampling
    reasoning = response.get("reasoning")
    effort = reasoning.get("effort") if isinstance(reasoning, dict) else None
    answered = (*(response.get(name) for name in _ANSWERED), effort)
    values = tuple(value if isinstance(value, (int, float, str)) else None for value in answered)
    return sampling if all(value is None for value in values) else _joined(sampling, values)


@lru_cache(maxsize=REMEMBERED)
def _joined(sampling: str | None, values: tuple[Any, ...]) -> str:
    settings = orjson.loads(sampling) if sampling else {}
    for name, value in zip((*_ANSWERED, "reasoning.effort"), values, strict=True):
        if value is not None:
            settings.setdefault(name, _setting(value))
    return canonical(settings).decode()


def _choose(settings: dict[str, Any], name: str, value: Any, depth: int = 0) -> None:
    """A setting under its name; what stands in an object, however deep, under dotted names."""
    if isinstance(value, dict) and depth < DEEPEST:
        for key, inner in value.items():
            _choose(settings, f"{name}.{clean(key)}", inner, depth + 1)
    elif value is not None:
        settings[name] = value


def _setting(value: Any) -> Any:
    """A setting that is the same JSON wherever it is written again; long ones stand as their hash."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (bool, float)) or value is None or (isinstance(value, int) and abs(value) < 1 << 62):
        return value
    if isinstance(value, (dict, list)):
        text = canonical(value).decode()
        return text if len(text) <= LONGEST else f"#{hash_text(text):016x}"
    return clip(str(value), LONGEST)


def _tools_hash(offered: list[Any]) -> int:
    """One number for the tools offered, whatever their order. Runs offer the same tools on every row."""
    key = tools_key(offered)
    if key not in _TOOLS:
        if len(_TOOLS) >= REMEMBERED:
            _TOOLS.clear()
        _TOOLS[key] = hash_value(sorted(map(_tool_key, offered)))
    return _TOOLS[key]


def _tool_key(tool: Any) -> str:
    if not isinstance(tool, dict):
        return str(tool)
    function = tool.get("function")
    shape = function if isinstance(function, dict) else tool
    return canonical({name: shape.get(name) for name in ("name", "description", "parameters")}).decode()


def _extra_body(metadata: Any) -> dict[str, Any]:
    value = metadata.get("extra_body") if isinstance(metadata, dict) else None
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return dict(value) if isinstance(value, dict) else {}


def _text_outside(row: dict[str, Any], request: Any) -> str:
    """Some agents keep the task outside `input`: in the request's metadata or in a field of the row."""
    metadata = request.get("metadata") if isinstance(request, dict) else None
    for holder in (metadata, row, row.get("verifier_metadata"), row.get("metadata"), row.get("task")):
        if isinstance(holder, dict):
            for name in _TEXT_FIELDS:
                value = holder.get(name)
                if isinstance(value, str) and value.strip():
                    return squeeze(value)
    return ""
