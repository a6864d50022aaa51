"""Token counts in their five dialects. Zero, null and absent all mean unknown to the statistics."""

from __future__ import annotations

from typing import Any

from blade.extract.attempt import Attempt
from blade.extract.numbers import number


def usage_of(attempt: Attempt) -> dict[str, Any]:
    """The usage columns of one rollout, to be worked out once."""
    return usage_facts(attempt.row.get("response"))


def usage_facts(response: Any) -> dict[str, Any]:
    """The usage columns of one row; `usage_state` says which dialect it was."""
    if not isinstance(response, dict) or "usage" not in response:
        return {"usage_state": "absent"}
    usage = response["usage"]
    if not isinstance(usage, dict):
        return {"usage_state": "null"}
    chat = "input_tokens" not in usage and ("prompt_tokens" in usage or "completion_tokens" in usage)
    names = ("prompt_tokens", "completion_tokens") if chat else ("input_tokens", "output_tokens")
    given = number(usage.get(names[0]))
    made = number(usage.get(names[1]))
    total = number(usage.get("total_tokens"))
    facts: dict[str, Any] = {
        "input_tokens": given,
        "output_tokens": made,
        "total_tokens": total,
        "cost": number(usage.get("cost")),
        "reasoning_tokens": _detail(usage, ("output_tokens_details", "completion_tokens_details"), "reasoning_tokens"),
        "cached_tokens": _detail(usage, ("input_tokens_details", "prompt_tokens_details"), "cached_tokens"),
    }
    if given or made or total:
        facts["usage_state"] = "chat" if chat else "ok"
    else:
        facts["usage_state"] = "null" if given is made is total is None else "zero"
    return facts


def _detail(usage: dict[str, Any], names: tuple[str, ...], key: str) -> float | None:
    for name in names:
        details = usage.get(name)
        if isinstance(details, dict):
            return number(details.get(key))
    return None
