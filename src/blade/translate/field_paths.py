"""The small language of a field map: paths into a row, and conditions on what stands there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from blade.errors import ConfigError
from blade.frozen import frozen
from blade.patterns import HINT, LinearPattern, PatternError

_STEP = re.compile(r"([^.\[\]]+)|\[(\d*)\]")
_SIGN = re.compile(r"==|!=|>=|<=|>|<|~|\bin\b")
_ABSENT = object()


@frozen
class FieldPath:
    """`a.b`, `a[0]`, `a[].b` (of every item), `a | b` (the first there is); a name with dots in it may stand whole."""

    text: str

    def of(self, row: Mapping[str, Any]) -> Any:
        """What stands there; None where nothing does."""
        for option in self.options:
            value = _walk(row, option)
            if value is not _ABSENT and value is not None:
                return value
        return None

    @property
    def options(self) -> list[str]:
        return [part.strip() for part in self.text.split("|") if part.strip()]

    def known_in(self, names: set[str]) -> bool:
        """Whether a field of that name, or one that leads to it, is among the names of the rows."""
        first_steps = {option: _STEP.match(option) for option in self.options}
        return any(option in names or (step is not None and step[1] in names) for option, step in first_steps.items())


def _walk(row: Any, text: str) -> Any:
    if isinstance(row, Mapping) and text in row:
        return row[text]
    value = row
    steps = list(_STEP.finditer(text))
    for place, step in enumerate(steps):
        name, index = step[1], step[2]
        if name is not None:
            value = value.get(name, _ABSENT) if isinstance(value, Mapping) else _ABSENT
        elif index:
            value = value[int(index)] if isinstance(value, list) and int(index) < len(value) else _ABSENT
        else:
            remaining_path = text[step.end() :].lstrip(".")
            if not isinstance(value, list):
                return _ABSENT
            return [_walk(item, remaining_path) if remaining_path else item for item in value]
        if value is _ABSENT:
            return _ABSENT
        if place + 1 < len(steps) and value is None:
            return _ABSENT
    return value


@frozen
class FieldCondition:
    """`path == value` (or `!=`, `>=`, `<=`, `>`, `<`, `in [a, b]`, `~ regular expression`), or what holds a value."""

    path: FieldPath
    sign: str = ""
    value: Any = None

    def holds(self, row: Mapping[str, Any]) -> bool:
        value_there = self.path.of(row)
        if not self.sign:
            return bool(value_there) and str(value_there).lower() not in {"false", "none", "null", "0", "no"}
        if self.sign == "~":
            return value_there is not None and self.value.holds(str(value_there))
        if self.sign == "in":
            return str(value_there) in {str(item) for item in self.value}
        if self.sign in {"==", "!="}:
            return _alike(value_there, self.value) is (self.sign == "==")
        return _ordered(value_there, self.sign, self.value)


def condition(text: str) -> FieldCondition:
    parts = ((text[: match.start()].strip(), match[0], text[match.end() :].strip()) for match in _SIGN.finditer(text))
    path, sign, literal_text = next((part for part in parts if part[0] and part[2]), (text.strip(), "", ""))
    if not sign:
        return FieldCondition(FieldPath(path))
    value = _regular_expression(text, literal_text) if sign == "~" else _literal(literal_text)
    if sign == "in" and not isinstance(value, list):
        raise ConfigError(f"{text}: 'in' wants a list.", "Wanted: FIELD in [one, two].")
    return FieldCondition(FieldPath(path), sign, value)


def _regular_expression(text: str, literal_text: str) -> LinearPattern:
    try:
        return LinearPattern(literal_text.strip("\"'"))
    except PatternError as error:
        raise ConfigError(f"{text}: no regular expression ({error}).", HINT) from None


def _literal(text: str) -> Any:
    """A number, true, false, null, a text with or without quotes, or a list of these."""
    if text.startswith("[") and text.endswith("]"):
        return [_literal(part.strip()) for part in text[1:-1].split(",")]
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text.strip("\"'")


def _alike(value_there: Any, value: Any) -> bool:
    if isinstance(value_there, bool) or isinstance(value, bool):
        return str(value_there).lower() == str(value).lower()
    if isinstance(value, (int, float)):
        return _ordered(value_there, "==", value)
    return str(value_there) == str(value)


def _ordered(value_there: Any, sign: str, value: Any) -> bool:
    try:
        left, right = float(value_there), float(value)
    except (TypeError, ValueError):
        return False
    return {"==": left == right, ">=": left >= right, "<=": left <= right, ">": left > right, "<": left < right}[sign]
