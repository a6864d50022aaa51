"""Counts runs of any size: slim rows go into partitions by task, and each partition is counted by itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Self

import polars as pl

from blade.counting.summary import Summary, summarize
from blade.counting.totals import add_unseen, declare, gather, per_task, slim_inputs, slim_rows
from blade.facts.table import empty
from blade.options import Options

PARTITIONS = 64
MOST_HELD = 500_000
"""Rows that are held before they go to the disk."""


class Partitions:
    """Add pieces in any order, then `summary()`. Use it as a context: its files go when it is left."""

    def __init__(self, options: Options, most_held: int = MOST_HELD) -> None:
        self._slices, self._match_by = options.slices, options.match_by
        self._threshold = options.pass_threshold
        self._repeats, self._limit = options.repeats, options.limit
        self._most = most_held
        self._held: dict[str, list[pl.DataFrame]] = {"rows": [], "inputs": []}
        self._written = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def add(self, facts: pl.DataFrame, file: int = 0) -> None:
        self._hold("rows", slim_rows(facts, file, self._slices, self._match_by))

    def add_inputs(self, inputs: pl.DataFrame) -> None:
        self._hold("inputs", slim_inputs(inputs))

    def _hold(self, kind: str, rows: pl.DataFrame) -> None:
        self._held[kind].append(rows)
        if sum(frame.height for frame in self._held[kind]) >= self._most:
            self._spill(kind)

    def _spill(self, kind: str) -> None:
        """Write what is held, one file for each partition."""
        if not self._held[kind]:
            return
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="blade-")
        rows = pl.concat(self._held[kind])
        for (number,), part in rows.group_by(pl.col("task").hash(2) % PARTITIONS):
            part.write_parquet(self._path(kind, int(str(number))) / f"{self._written}.parquet")
        self._held[kind].clear()
        self._written += 1

    def _path(self, kind: str, number: int) -> Path:
        assert self._folder is not None  # noqa: S101 - only asked once it is there
        path = Path(self._folder.name) / f"{kind}-{number}"
        path.mkdir(exist_ok=True)
        return path

    def summary(self) -> Summary:
        """Every partition counted by itself; what tasks came to is put together."""
        if self._folder is None:
            return self._summarize(self._task_totals(self._held["rows"], self._held["inputs"]))
        for kind in self._held:
            self._spill(kind)
        parts = [
            self._task_totals(*([_opened(self._path(kind, number))] for kind in ("rows", "inputs")))
            for number in range(PARTITIONS)
        ]
        return self._summarize(gather(pl.concat(parts, how="vertical_relaxed")))

    def _summarize(self, tasks: pl.DataFrame) -> Summary:
        return summarize(add_unseen(tasks, self._repeats, self._limit), self._threshold)

    def _task_totals(self, rows: list[pl.DataFrame], inputs: list[pl.DataFrame]) -> pl.DataFrame:
        filled = [frame for frame in rows if frame.height] or [slim_rows(empty(), 0, self._slices, self._match_by)]
        named_inputs = [frame for frame in inputs if frame.height]
        expected = pl.concat(named_inputs).group_by("task").agg(pl.col("expected").sum()) if named_inputs else None
        totals = per_task(pl.concat(filled), 1.0 if self._threshold is None else self._threshold)
        return gather(declare(totals, expected, self._repeats))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _opened(folder: Path) -> pl.DataFrame:
    files = sorted(folder.iterdir())
    return pl.concat([pl.read_parquet(file) for file in files]) if files else pl.DataFrame()
