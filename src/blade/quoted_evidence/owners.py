"""Whose row stands at a place: its run, task and attempt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from blade.counting.run import Run

Owner = tuple[str, str, int]


def owners(runs: Sequence[Run], places: Collection[tuple[str, int]]) -> dict[tuple[str, int], Owner]:
    """(file, line) → (run, task, attempt) for the places asked for."""
    owner_of: dict[tuple[str, int], Owner] = {}
    lines = sorted({line for _, line in places})
    for run in runs:
        rows = run.facts.filter(pl.col("line").is_in(lines)).select("file", "line", "label", "attempt")
        for file, line, label, attempt in rows.iter_rows():
            place = (run.raw.sources[file], line)
            if place in places:
                owner_of.setdefault(place, (run.name, label, attempt))
    return owner_of
