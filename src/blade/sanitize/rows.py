"""Goes through the strings of a JSON text as they are written, without building or rewriting the rest.

So numbers, spaces, double keys and rows that are cut off stay byte for byte what they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from blade.sanitize.hits import PrivateText, moved
from blade.sanitize.layers import Layer, escaped
from blade.sanitize.rules import PrivacyRule

REDACTED = "[redacted]"
FIELD = PrivacyRule("private_field", "field", "a declared private field", ("FIELD",), (), re.compile(r"(?!)"))
_PIECE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_COLON = re.compile(r"\s*:\s*")
_SCALAR = re.compile(r"[^\s,\]}]++")

Look = Callable[[str, str], Iterable[PrivateText]]
"""Finds the hits in a string as it is written, given the field it stands in."""


def walk(text: str, fields: Sequence[tuple[str, ...]], look: Look) -> Iterator[PrivateText]:
    """Every hit in the strings and keys of a JSON text; the value of a private field is one hit as a whole."""
    path: list[str] = []
    key = ""
    hidden: tuple[int, int] | None = None  # where a private value starts, and how deep
    private = False
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece[0] == '"':
            colon = _COLON.match(text, match.end())
            if hidden is None:
                value = piece[1:-1] if len(piece) > 1 and piece.endswith('"') else piece[1:]
                if private and not colon:
                    yield from _field(match.start(), match.end(), text, value)
                else:
                    yield from moved(look(value, "" if colon else key), match.start() + 1)
                key, private = (content(value).text, False) if colon else ("", False)
                if colon and _is_private([*path, key], fields):
                    private = text[colon.end() : colon.end() + 1] in {'"', "{", "["}
                    if not private and (scalar := _SCALAR.match(text, colon.end())):
                        yield from _field(scalar.start(), scalar.end(), text, scalar[0])
        elif piece in "{[":
            if private:
                hidden, private = (match.start(), len(path)), False
            path.append(key)
            key = ""
        else:
            if path:
                path.pop()
            key = ""
            if hidden is not None and len(path) == hidden[1]:
                yield from _field(hidden[0], match.end(), text, text[hidden[0] + 1 : match.start()].strip())
                hidden = None
    if hidden is not None:  # a row that is cut off
        yield from _field(hidden[0], len(text.rstrip()), text, text[hidden[0] :])


def content(raw: str) -> Layer:
    """The text of a string, from what stands between its quotes."""
    return escaped(raw) if "\\" in raw else Layer(raw, [0], [0])


def _is_private(path: list[str], fields: Sequence[tuple[str, ...]]) -> bool:
    if not fields:
        return False
    names = [name for name in path if name]
    return any(tuple(names[-len(field) :]) == field for field in fields)


def _field(start: int, end: int, text: str, value: str) -> Iterator[PrivateText]:
    if value not in {"", "null", REDACTED}:
        yield PrivateText(start, end, FIELD, "FIELD", text[start:end], put=f'"{REDACTED}"')
