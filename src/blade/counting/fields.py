"""The `fields` column as values: one dictionary per row, parsed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import polars as pl

Fields = dict[str, Any]


def field_rows(facts: pl.DataFrame) -> list[Fields]:
    """The short scalar fields of every row."""
    loads = orjson.loads
    return [loads(text) if text else {} for text in facts["fields"].to_list()]


def names(rows: Iterable[Fields]) -> list[str]:
    """Every field name that stands on at least one row, commonest first, then by name."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row.keys())
    return [name for name, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))]


def column(rows: Sequence[Fields], name: str) -> list[Any]:
    return [row.get(name) for row in rows]
