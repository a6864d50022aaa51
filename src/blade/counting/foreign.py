"""Rows of another model inside a run: told by the model's name, where one model clearly made the run."""

from __future__ import annotations

import re
from collections import Counter

import polars as pl

from blade.model import Flaw

FEWEST_ROWS = 20
MOST_SHARE = 1 / 3
_VERSION = re.compile(r"[-_:@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|latest|preview)$")


def mark_foreign(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Flaw]]:
    """Add `foreign`. Aliases of one model (a date, a version, a path in front) are no other model."""
    names = frame["model"].to_list()
    families = [family(name) if name else None for name in names]
    counts = Counter(name for name in families if name)
    foreign = [False] * frame.height
    if counts and frame.height >= FEWEST_ROWS:
        main, rows = max(counts.items(), key=lambda pair: (pair[1], pair[0]))
        if 0 < counts.total() - rows <= MOST_SHARE * counts.total():
            foreign = [name is not None and name != main for name in families]
    marked = frame.with_columns(pl.Series("foreign", foreign, pl.Boolean))
    if not any(foreign):
        return marked, []
    others = Counter(name for name, is_foreign in zip(names, foreign, strict=True) if is_foreign)
    told = ", ".join(f"{name} ({many})" for name, many in sorted(others.items()))
    text = f"{sum(foreign)} rows were made by another model than the rest of the run: {told}; they are not counted"
    return marked, [Flaw("foreign-rows", text, rows=sum(foreign))]


def family(name: str) -> str:
    """A model's name without path, version and date: `org/model-a-2024-05-01` → `model-a`."""
    short = name.rstrip("/").rsplit("/", 1)[-1].lower()
    while (cut := _VERSION.sub("", short)) and cut != short:
        short = cut
    return short
