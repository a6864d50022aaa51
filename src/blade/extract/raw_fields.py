"""The text of an answer as it was written, where the verifier keeps it beside what it made of it.

What it makes of an answer hides why it refuses it: “1.24 million” becomes 1.24.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_NORMAL_FORMS = ("norm", "normed", "normal", "normalized", "normalised", "canonical", "canon", "clean", "cleaned")


def raw_text(row: dict[str, Any], field: str) -> str:
    """The text of `read` beside `read_norm`; empty where no field has the answer as it was written."""
    *holders, name = field.split(".")
    holder: Any = row
    for part in holders:
        holder = holder.get(part) if isinstance(holder, dict) else None
    if not isinstance(holder, dict):
        return ""
    texts = (holder.get(raw) for raw in _raw_names(name))
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _raw_names(name: str) -> Iterator[str]:
    for form in _NORMAL_FORMS:
        for raw in (name.removesuffix(f"_{form}"), name.removeprefix(f"{form}_")):
            if raw != name:
                yield from (raw, f"{raw}_raw", f"raw_{raw}")
