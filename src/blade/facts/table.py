"""Builds the facts of a file row by row, without keeping more than a block of Python objects at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import orjson
import polars as pl

from blade.facts.columns import SCHEMA

BLOCK = 4096
LISTS = pl.List(pl.String)


@cache
def empty() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


class FactsBuilder:
    """Append records, then `finish()`."""

    def __init__(self) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._blocks: list[pl.DataFrame] = []

    def add(self, record: Mapping[str, Any]) -> None:
        self._rows.append(tuple(map(record.get, SCHEMA)))
        if len(self._rows) >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(SCHEMA)
        made = [
            _lists(name, values) if kind == LISTS else pl.Series(name, values, dtype=kind, strict=True)
            for (name, kind), values in zip(SCHEMA.items(), columns, strict=True)
        ]
        self._blocks.append(pl.DataFrame(made))
        self._rows = []

    def finish(self) -> pl.DataFrame:
        if self._rows or not self._blocks:
            self._flush()
        return pl.concat(self._blocks, rechunk=True)


def _lists(name: str, values: Sequence[Sequence[str] | None]) -> pl.Series:
    """A column of lists. Polars takes them from Python very slowly, so each different list is read once, from JSON."""
    places: dict[tuple[str, ...] | None, int] = {}
    codes = [places.setdefault(None if value is None else tuple(value), len(places)) for value in values]
    texts = [None if texts is None else orjson.dumps(texts).decode() for texts in places]
    if not all(isinstance(text, str) for texts in places if texts for text in texts):
        raise TypeError(f"{name}: a list of something other than texts")
    return pl.Series(name, texts, dtype=pl.String).str.json_decode(LISTS).gather(codes)
