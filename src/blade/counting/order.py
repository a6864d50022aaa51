"""The order in which the rows of a run came about."""

from __future__ import annotations

import polars as pl


def in_order(rows: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Rows in order of time where all have one, else of the file."""
    timed = rows["created_at"].null_count() == 0 and rows["created_at"].n_unique() > 2
    return (rows.sort("created_at", "row_hash"), True) if timed else (rows.sort("file", "line"), False)
