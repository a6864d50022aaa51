"""Token counts in their five dialects. Zero, null and absent all mean unknown to the statistics."""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.numbers import number
from blade.extract.transcript import arguments_text

MOST_CHARACTERS = 8
"""No tokenizer puts more characters into a token, on average over a text."""
FEWEST_TURNS = 2


def usage_of(attempt: Attempt) -> dict[str, Any]:
    """The usage columns of one rollout, to be worked out once."""
    facts = usage_facts(attempt.row.get("response"))
    facts["usage_is_partial"] = _is_partial(attempt, facts.get("output_tokens"))
    facts["call_seconds"] = _call_seconds(attempt.row.get("ng_model_call_capture"))
    return facts


def _call_seconds(capture: Any) -> float | None:
    metrics = capture.get("metrics") if isinstance(capture, dict) else None
    milliseconds = number(metrics.get("latency_total_ms")) if isinstance(metrics, dict) else None
    return None if milliseconds is None else milliseconds / 1_000.0


def _is_partial(attempt: Attempt, output_tokens: float | None) -> bool | None:
    """Whether the output tokens of several turns are too few for their words: the usage of the last call alone."""
    if not output_tokens:
        return None
    if len(attempt.messages) + len(attempt.made) < FEWEST_TURNS:
        return False
    characters = sum([len(step.text) for _, step in attempt.spoken])
    characters += sum([len(arguments_text(call.step.arguments)) for call in attempt.made])
    return characters > MOST_CHARACTERS * output_tokens


def usage_facts(response: Any) -> dict[str, Any]:
    """The usage columns of one row; `usage_state` says which dialect it was."""
    if not isinstance(response, dict) or "usage" not in response:
        return {"usage_state": "absent"}
    usage = response["usage"]
    if not isinstance(usage, dict):
        return {"usage_state": "null"}
    chat = "input_tokens" not in usage and ("prompt_tokens" in usage or "completion_tokens" in usage)
    names = ("prompt_tokens", "completion_tokens") if chat else ("input_tokens", "output_tokens")
    input_tokens = number(usage.get(names[0]))
    output_tokens = number(usage.get(names[1]))
    total = number(usage.get("total_tokens"))
    facts: dict[str, Any] = {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "total_tokens": total,
        "cost": number(usage.get("cost")),
        "reasoning_tokens": _detail(usage, ("output_tokens_details", "completion_tokens_details"), "reasoning_tokens"),
        "cached_tokens": _detail(usage, ("input_tokens_details", "prompt_tokens_details"), "cached_tokens"),
    }
    if input_tokens or output_tokens or total:
        facts["usage_state"] = "chat" if chat else "ok"
    else:
        facts["usage_state"] = "null" if input_tokens is output_tokens is total is None else "zero"
    return facts


def _detail(usage: dict[str, Any], names: tuple[str, ...], key: str) -> float | None:
    for name in names:
        details = usage.get(name)
        if isinstance(details, dict):
            return number(details.get(key))
    return None
