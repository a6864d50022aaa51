"""Where a value stands in a text of JSON, so that the shortest span can be quoted; and the plain values inside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from blade.late_regex import late_regex

Path = tuple[str | int, ...]
Span = tuple[int, int]

_DECODER = json.JSONDecoder(strict=False)
_SPACE = late_regex(r"[ \t\r\n]*")
DEEPEST = 6


def value_span(text: str, path: Sequence[str | int]) -> Span | None:
    """Start and end of the value under a path of keys and indices, a string without its quotes; None if not there."""
    try:
        at = _skip(text, 0)
        for key in path:
            member = _member(text, at, key)
            if member is None:
                return None
            at = member
        _, end = _DECODER.raw_decode(text, at)
    except (ValueError, IndexError, RecursionError):
        return None
    return (at + 1, end - 1) if text[at] == '"' and end - at > 2 else (at, end)


def _member(text: str, at: int, key: str | int) -> int | None:
    """The start of one member of the object or array that begins here."""
    opening, closing = ("{", "}") if isinstance(key, str) else ("[", "]")
    if text[at] != opening:
        return None
    at, place = _skip(text, at + 1), 0
    while text[at] != closing:
        name: str | int = place
        if opening == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        if name == key:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at, place = _skip(text, at), place + 1
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every plain value inside a JSON value, with its path."""
    if len(path) > DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value[:100]):
            yield from leaves(inner, (*path, place))
    elif value is not None:
        yield path, value


def dotted(path: Path) -> str:
    """A path as people write it: `flights.0.date`."""
    return ".".join(map(str, path))
