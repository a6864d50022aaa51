"""What the labels mean: read from labels.toml, and from what a package adds to it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from blade.frozen import frozen

INSUFFICIENT = "IE"


@frozen
class Definition:
    """One label: its name, what it says in a sentence, and what usually helps."""

    code: str
    name: str
    meaning: str
    intervention: str


def definitions(extra: Mapping[str, Any] | None = None) -> dict[str, Definition]:
    """Code → definition. `extra` is a table of the same shape; what it leaves out stays as it is.

    A package's text is data: an entry that is no table of words is passed over.
    """
    table = dict(_shipped())
    for code, entry in (extra or {}).items():
        if isinstance(entry, Mapping):
            table[code] = _definition(code, entry, table.get(code))
    return table


def meanings(settings: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """What each label means in an analysis, what the benchmarks' settings add included."""
    extra: dict[str, Any] = {}
    for values in settings:
        extra |= values.get("labels") or {}
    labels = definitions(extra).values()
    return {
        item.code: {"name": item.name, "meaning": item.meaning, "intervention": item.intervention} for item in labels
    }


@cache
def _shipped() -> dict[str, Definition]:
    text = files("blade.diagnosis").joinpath("labels.toml").read_text(encoding="utf-8")
    return {code: _definition(code, entry, None) for code, entry in tomllib.loads(text).items()}


def _definition(code: str, entry: Mapping[str, Any], shipped: Definition | None) -> Definition:
    words = {name: entry.get(name) for name in ("name", "meaning", "intervention")}
    before = shipped or Definition(code, code, "", "")
    return Definition(code, **{name: str(word or getattr(before, name)) for name, word in words.items()})
