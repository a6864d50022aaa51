"""Text under an encoding: read without it, with every place known in the original.

Nothing is ever encoded again: a hit in the decoded text is cut out of the original characters, so that all around it
stays as it was.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable

from blade.frozen import frozen

_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


@frozen
class Layer:
    """The decoded text, and for every stretch of it where it starts there (`here`) and in the original (`there`)."""

    text: str
    here: list[int]
    there: list[int]

    def original(self, place: int) -> int:
        """Where a place of the decoded text is in the original."""
        at = bisect_right(self.here, place) - 1
        return self.there[at] + place - self.here[at]


def escaped(text: str) -> Layer:
    """What stands between the quotes of a JSON string."""
    return _layer(text, _ESCAPE, _unescape)


def percent(text: str) -> Layer:
    """A part of an address; bytes beyond ASCII are not put together, for no rule looks at them."""
    return _layer(text, _PERCENT, lambda unit: chr(int(unit[1:], 16)))


def _unescape(unit: str) -> str:
    if len(unit) == 6:
        return chr(int(f"0x{unit[2:]}", 0))
    return _PLAIN.get(unit[1], unit[1])


def _layer(text: str, pattern: re.Pattern[str], decode: Callable[[str], str]) -> Layer:
    pieces: list[str] = []
    inner_places, outer_places = [0], [0]
    place = decoded = 0
    for match in pattern.finditer(text):
        if match.start() > decoded:
            pieces.append(text[decoded : match.start()])
            place += match.start() - decoded
        inner_places.append(place)
        outer_places.append(match.start())
        pieces.append(decode(match[0]))
        place += 1
        decoded = match.end()
        inner_places.append(place)
        outer_places.append(decoded)
    pieces.append(text[decoded:])
    return Layer("".join(pieces), inner_places, outer_places)


def quoted(text: str) -> str:
    """Text as it stands between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
