"""Finds what the rules describe in one text, and says where; deeper encodings are looked into.

The strings of a JSON text are gone through as they are written, without building or rewriting the rest: numbers,
spaces, double keys and rows that are cut off stay byte for byte what they were.

Before that, a cheap look says which rules can have anything to find in a line. All keywords are looked for at once, by
their first three bytes, in one pass of numpy; only what may be there is then looked for in full. A line in an encoding
is looked at without it too, so that nothing is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from urllib.parse import unquote_to_bytes

import numpy as np
import orjson
from numpy.typing import NDArray

from blade.errors import UsageError
from blade.sanitize.hits import PrivateText, matched, moved, outward, resolved
from blade.sanitize.layers import Layer, escaped, percent
from blade.sanitize.rules import Policy, PrivacyRule, rules_for

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


DEEPEST = 5
"""Encodings inside encodings are followed this far down."""
LONGEST_FIELD = 10_000
SHORTEST = 6
"""No rule of ours finds anything in less."""
NEVER_PRIVATE = {"reward", "_ng_task_index", "_ng_rollout_index"}
"""Without these a package has no score and no tasks."""
_ENCODED = re.compile(r"%[0-9a-fA-F]{2}")
_RUN = re.compile(r"[A-Za-z0-9._~%+&=?;/:@,!*()$-]{1,65536}+")
_ESCAPES = re.compile(r"\\u00[0-9a-fA-F]{2}|\\/")
_SEPARATORS = re.compile(r"[\s.-]+|(?<=[a-z0-9])(?=[A-Z])")


class Finder:
    """The rules of one policy, ready to look. `known` holds secrets that were found where their context told."""

    def __init__(self, policy: Policy) -> None:
        self.rules = rules_for(policy)
        self.fields = tuple(tuple(name.split(".")) for name in policy.private_fields if name)
        for name in self.fields:
            if name[-1] in NEVER_PRIVATE:
                hint = "Take it off the list: what it says is what a package is for."
                raise UsageError(f"The field '{name[-1]}' cannot be private.", hint)
        self.known: dict[str, tuple[PrivacyRule, str]] = {}
        self._field_bytes = tuple({name[-1].encode() for name in self.fields})
        self._field_names = tuple({name[-1] for name in self.fields})
        self._screen = Screen(self.rules)
        self._near: tuple[str, ...] = ()
        self._words: tuple[str, ...] = ()
        self._keys = re.compile("|".join(rf"^(?:{rule.key.pattern})$" for rule in self.rules if rule.key) or "(?!)")
        self._folds = any(rule.folded for rule in self.rules)

    def in_line(self, data: bytes) -> tuple[str, list[PrivateText]]:
        """The text of a line and its hits; the text is empty where nothing called for a look."""
        rules, self._words = self._screen.active(data)
        self._near = tuple(value for value in self.known if _holds(data, value.encode(errors="surrogatepass")))
        if not rules and not self._near and not any(name in data for name in self._field_bytes):
            return "", []
        text = data.decode("utf-8", errors="surrogateescape")
        return text, self.hits(text, rules)

    def hits(self, text: str, rules: Sequence[PrivacyRule], key: str = "", depth: int = 0) -> list[PrivateText]:
        """All hits in one text, in order, none inside another."""
        if depth >= DEEPEST:
            return resolved(self._plain(text, rules, key))

        def look(raw: str, field: str) -> Iterable[PrivateText]:
            if not self._worth(raw, field):
                return ()
            layer = content(raw)
            return outward(self.hits(layer.text, rules, field, depth + 1), layer, 0)

        if _is_json(text):
            return resolved(walk(text, self.fields, look))
        groups: list[Iterable[PrivateText]] = []
        if text[:64].lstrip()[:1] in {"{", "["}:
            groups.append(walk(text, self.fields, look))
        groups.append(self._plain(text, rules, key))
        if "%" in text and _ENCODED.search(text):
            groups.append(self._percent(text, rules, depth))
        if "\\" in text and _ESCAPES.search(text):
            layer = escaped(text)
            groups.append(outward(self._plain(layer.text, rules, key), layer, 0))
        return resolved(hit for group in groups for hit in group)

    def _worth(self, raw: str, key: str) -> bool:
        """Whether a string, as it is written, can hold anything: most strings of a row cannot."""
        if len(raw) < SHORTEST:
            return bool(self._folds or self._near or self._fields_in(raw))
        low = raw.lower() if self._folds else raw
        for word in self._words:
            if word in raw or word in low:
                return True
        if self._near or ("\\" in raw and _ESCAPES.search(raw)) or ("%" in raw and _ENCODED.search(raw)):
            return True
        if self._fields_in(raw):
            return True
        return bool(key) and self._keys.search(_field_key(key)) is not None

    def _fields_in(self, raw: str) -> bool:
        return any(name in raw for name in self._field_names)

    def _plain(self, text: str, rules: Sequence[PrivacyRule], key: str) -> Iterator[PrivateText]:
        if key and len(text) <= LONGEST_FIELD:
            yield from _keyed(text, rules, _field_key(key))
        low = text.lower() if self._folds else text
        for rule in rules:
            if any(word in (low if rule.folded else text) for word in rule.keywords):
                for match in rule.pattern.finditer(text):
                    yield from matched(rule, match, text)
        for value in self._near:
            rule, label = self.known[value]
            at = text.find(value)
            while at >= 0:
                yield PrivateText(at, at + len(value), rule, label, value)
                at = text.find(value, at + len(value))

    def _percent(self, text: str, rules: Sequence[PrivacyRule], depth: int) -> Iterator[PrivateText]:
        """Parts of addresses, decoded."""
        for run in _RUN.finditer(text):
            if _ENCODED.search(run[0]):
                layer = percent(run[0])
                for hit in outward(self.hits(layer.text, rules, "", depth + 1), layer, run.start()):
                    yield replace(hit, put="%22[redacted]%22" if hit.put else "")


@lru_cache(maxsize=4096)
def _field_key(key: str) -> str:
    return _SEPARATORS.sub("_", key).lower()


def _holds(data: bytes, value: bytes) -> bool:
    return value in data or any(value in form for form in forms(data))


def _keyed(text: str, rules: Sequence[PrivacyRule], key: str) -> Iterator[PrivateText]:
    """A value that is a secret because of the field it stands in."""
    for rule in rules:
        if rule.key is not None and rule.value is not None and rule.key.fullmatch(key):
            match = rule.value.fullmatch(text)
            if match:
                yield from matched(rule, match, text)


def _is_json(text: str) -> bool:
    """Whether the text as a whole is JSON that holds strings."""
    if text[:64].lstrip()[:1] not in {"{", "[", '"'} or '"' not in text:
        return False
    try:
        orjson.loads(text)
    except ValueError:
        try:
            json.loads(text)  # numbers and surrogates that the fast parser refuses
        except (ValueError, RecursionError):
            return False
    return True
