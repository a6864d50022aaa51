"""Finds what the rules describe in one text, and says where; deeper encodings are looked into."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import orjson

from blade.errors import UsageError
from blade.sanitize.hits import PrivateText, matched, outward, resolved
from blade.sanitize.layers import escaped, percent
from blade.sanitize.rows import content, walk
from blade.sanitize.rules import Policy, PrivacyRule, rules_for
from blade.sanitize.screen import Screen, forms

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
