"""Texts that the verifier or the harness left in the row, with dotted names: messages, logs, tracebacks."""

from __future__ import annotations

from typing import Any

from blade.extract.shape import field_name

LONG_TEXT = 20_000
_HEAVY = {"responses_create_params", "response"}


def row_texts(row: dict[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    _add_texts(found, row, "", 0)
    return found


def _add_texts(found: list[tuple[str, str]], holder: dict[str, Any], prefix: str, depth: int) -> None:
    for key, value in holder.items():
        if not value or not isinstance(value, (str, dict, list)):
            continue
        if depth == 0 and (key in _HEAVY or key.startswith("ng_")):
            continue
        name = prefix + field_name(key)
        if isinstance(value, str):
            found.append((name, value[:LONG_TEXT]))
        elif depth >= 2:
            continue
        elif isinstance(value, dict):
            _add_texts(found, value, f"{name}.", depth + 1)
        else:
            for place, inner in enumerate(value[:20]):
                if isinstance(inner, str) and inner:
                    found.append((f"{name}.{place}", inner[:LONG_TEXT]))
                elif isinstance(inner, dict):
                    _add_texts(found, inner, f"{name}.{place}.", depth + 1)
