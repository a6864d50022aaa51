"""Texts that the verifier or the harness left in the row, with dotted names: messages, logs, tracebacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from blade.extract.shape import field_name

LONG_TEXT = 20_000
_HEAVY = {"responses_create_params", "response"}


def row_texts(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    return _texts(row, "", 0)


def _texts(holder: dict[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in holder.items():
        if depth == 0 and (key in _HEAVY or key.startswith("ng_")):
            continue
        if not value or not isinstance(value, (str, dict, list)):
            continue
        name = prefix + field_name(key)
        if isinstance(value, str):
            yield name, value[:LONG_TEXT]
        elif isinstance(value, dict) and depth < 2:
            yield from _texts(value, f"{name}.", depth + 1)
        elif isinstance(value, list) and depth < 2:
            for place, inner in enumerate(value[:20]):
                if isinstance(inner, str) and inner:
                    yield f"{name}.{place}", inner[:LONG_TEXT]
                elif isinstance(inner, dict):
                    yield from _texts(inner, f"{name}.{place}.", depth + 1)
