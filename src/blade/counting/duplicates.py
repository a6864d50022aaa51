"""Rows that stand twice under one key: copies are set aside, contradictions are kept and said."""

from __future__ import annotations

import polars as pl

from blade.model import Flaw

KEY = ["task", "attempt"]


def mark_duplicates(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Flaw]]:
    """Add `copy` (a repeated row that does not count). Shards that number their attempts alike are told apart first."""
    frame = _tell_shards_apart(frame)
    frame = frame.sort("task", "attempt", "file", "line")
    frame = frame.with_columns(
        pl.struct(*KEY, "row_hash").is_first_distinct().not_().alias("_same_row"),
        (
            pl.col("output_hash").is_not_null()
            & pl.col("reward").is_not_null()
            & pl.struct(*KEY, "output_hash", "reward").is_first_distinct().not_()
        ).alias("_same_output"),
    )
    frame = frame.with_columns((pl.col("_same_row") | pl.col("_same_output")).alias("copy")).drop(
        "_same_row", "_same_output"
    )
    return frame, _flaws(frame)


def _tell_shards_apart(frame: pl.DataFrame) -> pl.DataFrame:
    """Shards by seed all start at attempt 0: where one key stands in several files with other content, count on."""
    clash = (
        frame.group_by(KEY)
        .agg(pl.col("file").n_unique().alias("files"), pl.col("row_hash").n_unique().alias("contents"))
        .filter((pl.col("files") > 1) & (pl.col("contents") > 1))
    )
    if clash.is_empty():
        return frame
    return frame.sort("task", "file", "attempt", "line").with_columns(
        pl.int_range(pl.len()).over("task").cast(pl.Int64).alias("attempt"),
    )


def _flaws(frame: pl.DataFrame) -> list[Flaw]:
    flaws = []
    copies = frame.filter(pl.col("copy"))
    if copies.height:
        first = copies.row(0, named=True)
        flaws.append(
            Flaw(
                "duplicate-rows",
                f"{_rows(copies.height)} stand there twice under one task and attempt (first: task {first['label']}, "
                f"attempt {first['attempt']}); copies are not counted",
                line=first["line"],
                rows=copies.height,
            ),
        )
    kept = frame.filter(~pl.col("copy"))
    twice = kept.filter(pl.struct(*KEY).is_duplicated())
    if twice.height:
        first = twice.row(0, named=True)
        flaws.append(
            Flaw(
                "conflicting-rows",
                f"{_rows(twice.height)} share a task and attempt with a row that says something else (first: task "
                f"{first['label']}, attempt {first['attempt']}); all of them are counted",
                line=first["line"],
                rows=twice.height,
            ),
        )
    return flaws


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
