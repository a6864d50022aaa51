"""Builds the facts of a file row by row, without keeping more than a block of Python objects at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from blade.facts.columns import SCHEMA

BLOCK = 4096


def empty() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


class FactsBuilder:
    """Append records, then `finish()`."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in SCHEMA}
        self._blocks: list[pl.DataFrame] = []
        self._pending = 0

    def add(self, record: Mapping[str, Any]) -> None:
        for name, column in self._columns.items():
            column.append(record.get(name))
        self._pending += 1
        if self._pending >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        self._blocks.append(pl.DataFrame(self._columns, schema=SCHEMA, strict=True))
        self._columns = {name: [] for name in SCHEMA}
        self._pending = 0

    def finish(self) -> pl.DataFrame:
        if self._pending or not self._blocks:
            self._flush()
        return pl.concat(self._blocks, rechunk=True)
