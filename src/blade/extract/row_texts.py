"""Texts that the verifier or the harness left in the row, with dotted names: messages, logs, tracebacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from blade.extract.field_roles import field_name

LONG_TEXT = 20_000
"""Characters that are read at each end of a text: what was begun stands at the one, what came of it at the other."""
FIRST, LAST = 20, 10
"""Entries that are read at each end of a list."""
_HEAVY = {"responses_create_params", "response"}


class RowText(NamedTuple):
    """A text, or one end of a very long one, which then comes twice; `start` is where it begins in the field."""

    name: str
    text: str
    start: int = 0


def row_texts(row: dict[str, Any]) -> list[RowText]:
    texts: list[RowText] = []
    _add_texts(texts, row, "", 0)
    return texts


def _add_texts(texts: list[RowText], holder: dict[str, Any], prefix: str, depth: int) -> None:
    for key, value in holder.items():
        if not value or not isinstance(value, (str, dict, list)):
            continue
        if depth == 0 and (key in _HEAVY or key.startswith("ng_")):
            continue
        name = prefix + field_name(key)
        if isinstance(value, str):
            _add_text(texts, name, value)
        elif depth >= 2:
            continue
        elif isinstance(value, dict):
            _add_texts(texts, value, f"{name}.", depth + 1)
        else:
            for place in _places(len(value)):
                inner = value[place]
                if isinstance(inner, str) and inner:
                    _add_text(texts, f"{name}.{place}", inner)
                elif isinstance(inner, dict):
                    _add_texts(texts, inner, f"{name}.{place}.", depth + 1)


def _add_text(texts: list[RowText], name: str, text: str) -> None:
    if len(text) <= 2 * LONG_TEXT:
        texts.append(RowText(name, text))
        return
    start = text.find("\n", len(text) - LONG_TEXT) + 1 or len(text) - LONG_TEXT
    texts += (RowText(name, text[:LONG_TEXT]), RowText(name, text[start:], start))


def _places(length: int) -> Iterable[int]:
    return range(length) if length <= FIRST + LAST else (*range(FIRST), *range(length - LAST, length))
