"""Rows that stand twice under one key: copies are set aside, contradictions are kept and said."""

from __future__ import annotations

import polars as pl

from blade.model import Flaw

KEY = ["task", "attempt"]


def mark_duplicates(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Flaw]]:
    """Add `copy` (a repeated row that does not count). Shards that number their attempts alike are told apart first."""
    frame = _tell_shards_apart(frame)
    frame = frame.sort("task", "attempt", "row_hash", "file", "line")
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
    """Shards by seed all start at attempt 0: a task with one key in several files and other content counts on.

    A row that stands in two shards byte for byte keeps one number: it is a copy, not another attempt.
    """
    clash = (
        frame.group_by(KEY)
        .agg(pl.col("file").n_unique().alias("files"), pl.col("row_hash").n_unique().alias("contents"))
        .filter((pl.col("files") > 1) & (pl.col("contents") > 1))
    )
    if clash.is_empty():
        return frame
    rows = frame.filter(pl.col("task").is_in(clash["task"].to_list()))
    numbers = (
        rows.sort("task", "file", "attempt", "row_hash")
        .unique([*KEY, "row_hash"], keep="first", maintain_order=True)
        .with_columns(pl.int_range(pl.len()).over("task").cast(pl.Int64).alias("_number"))
    )
    numbered = frame.join(numbers.select(*KEY, "row_hash", "_number"), on=[*KEY, "row_hash"], how="left")
    return numbered.with_columns(pl.coalesce("_number", "attempt").alias("attempt")).drop("_number")


def _flaws(frame: pl.DataFrame) -> list[Flaw]:
    flaws = []
    copies = frame.filter(pl.col("copy"))
    if copies.height:
        first = copies.row(0, named=True)
        flaws.append(
            Flaw(
                "duplicate-rows",
                f"{_rows(copies.height, 'repeats', 'repeat')} another row of the same task and attempt (first: task "
                f"{first['label']}, attempt {first['attempt']}); copies are not counted",
                line=first["line"],
                rows=copies.height,
            ),
        )
    own_rows = frame.filter(~pl.col("copy"))
    twice = own_rows.filter(pl.struct(*KEY).is_duplicated())
    if twice.height:
        first = twice.row(0, named=True)
        flaws.append(
            Flaw(
                "conflicting-rows",
                f"{_rows(twice.height, 'shares', 'share')} a task and attempt with a row that says something else "
                f"(first: task {first['label']}, attempt {first['attempt']}); all of them are counted",
                line=first["line"],
                rows=twice.height,
            ),
        )
    return flaws


def _rows(count: int, singular: str, plural: str) -> str:
    return f"1 row {singular}" if count == 1 else f"{count} rows {plural}"
