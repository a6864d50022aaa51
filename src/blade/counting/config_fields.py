"""The settings of a config under dotted names, however deep they stand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

DEEPEST = 16
MOST = 4_000
LONGEST = 200


def config_fields(config: Mapping[str, Any]) -> dict[str, Any]:
    """Every value that is no mapping by its dotted name; lists of plain values are one value, as JSON."""
    fields: dict[str, Any] = {}
    for name, value in _leaves("", config, 0):
        if len(fields) >= MOST:
            break
        fields[name] = value
    return fields


def named_setting(config: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the first of these names that the config has: at its top, else anywhere, where all agree on it."""
    deep = config_fields(config)
    for name in names:
        at_top = config.get(name)
        if at_top is not None and not isinstance(at_top, (Mapping, list)):
            return at_top
        values = [value for field, value in deep.items() if field.rsplit(".", 1)[-1] == name and value is not None]
        if values and all(value == values[0] for value in values):
            return values[0]
    return None


def _leaves(prefix: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value and depth < DEEPEST:
        for key in value:
            name = str(key).replace(".", "\\.")
            yield from _leaves(f"{prefix}.{name}" if prefix else name, value[key], depth + 1)
    elif isinstance(value, list) and any(isinstance(inner, (Mapping, list)) for inner in value) and depth < DEEPEST:
        for place, inner in enumerate(value):
            yield from _leaves(f"{prefix}.{place}", inner, depth + 1)
    elif isinstance(value, (Mapping, list)):
        yield prefix, _as_text(value)[:LONGEST]
    else:
        yield prefix, value


def _as_text(value: Any) -> str:
    """What a field holds below the deepest level, as text; what is nested without end is only said to be so."""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # deeper than it goes, or a number beyond 64 bits
        try:
            return json.dumps(value, default=str, sort_keys=True)
        except (RecursionError, TypeError, ValueError):
            return "nested too deeply to be read"
