"""A cheap first look at a line: which rules can have anything to find in it.

All keywords are looked for at once, by their first three bytes, in one pass of numpy; only what may be there is then
looked for in full. A line in an encoding is looked at without it too, so that nothing is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from blade.sanitize.rules import PrivacyRule

PIECE = 1 << 20
_ASCII = re.compile(rb"\\u00([0-7][0-9a-fA-F])")
_PERCENT = re.compile(rb"%[0-9a-fA-F]{2}")


class Screen:
    """The keywords of a set of rules, indexed by their beginnings."""

    def __init__(self, rules: Sequence[PrivacyRule]) -> None:
        self._rules = rules
        self._table = np.zeros(1 << 24, dtype=np.uint16)
        self._starts: list[list[tuple[int, bytes]]] = [[]]
        self._short: list[tuple[int, bytes]] = []
        self._folded = [(place, rule) for place, rule in enumerate(rules) if rule.folded]
        for place, rule in enumerate(rules):
            for word in () if rule.folded else rule.keywords:
                self._add(place, word.encode())

    def _add(self, place: int, word: bytes) -> None:
        if len(word) < 3:
            self._short.append((place, word))
            return
        code = word[0] << 16 | word[1] << 8 | word[2]
        if not self._table[code]:
            self._table[code] = len(self._starts)
            self._starts.append([])
        self._starts[int(self._table[code])].append((place, word))

    def active(self, data: bytes) -> tuple[tuple[PrivacyRule, ...], tuple[str, ...]]:
        """The rules worth trying on this line, in their order, and the keywords that speak for them."""
        words: set[tuple[int, str]] = set()
        for form in (data, *forms(data)):
            words |= self._present(form)
        rules = tuple(self._rules[place] for place in sorted({place for place, _ in words}))
        return rules, tuple(sorted({word for _, word in words}))

    def _present(self, data: bytes) -> set[tuple[int, str]]:
        words = {(place, word.decode()) for place, word in self._short if word in data}
        for start in self._beginnings(data):
            words |= {(place, word.decode()) for place, word in self._starts[start] if word in data}
        if self._folded:
            low = data.decode("utf-8", errors="replace").lower()
            words |= {(place, word) for place, rule in self._folded for word in rule.keywords if word in low}
        return words

    def _beginnings(self, data: bytes) -> list[int]:
        """Which beginnings of keywords stand in the data; in pieces, so that a long line takes little memory."""
        starts_seen = np.zeros(len(self._starts), dtype=bool)
        for at in range(0, len(data), PIECE):
            raw: NDArray[np.uint8] = np.frombuffer(data[at : at + PIECE + 2], dtype=np.uint8)
            if raw.size >= 3:
                wide = raw.astype(np.uint32)
                starts_seen[self._table[wide[:-2] << 16 | wide[1:-1] << 8 | wide[2:]]] = True
        starts_seen[0] = False
        return [int(place) for place in np.flatnonzero(starts_seen)]


def forms(data: bytes) -> Iterator[bytes]:
    """The line without an encoding that could hide a keyword, where it has one."""
    if b"\\/" in data:
        yield data.replace(b"\\", b"")
    if b"\\u00" in data:
        yield _ASCII.sub(lambda match: bytes([int(match[1], 16)]), data)
    if b"%" in data and _PERCENT.search(data):
        yield unquote_to_bytes(data)
