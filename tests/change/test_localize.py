"""What the rows behind a part have in common: a stretch of time only where chance does not make one."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from blade.change.localize import window

ROWS = 80


def rows(broken: Collection[int]) -> pl.DataFrame:
    """Rows in order of the file, some of them broken by infrastructure."""
    states = ["infrastructure" if place in broken else "ok" for place in range(ROWS)]
    return pl.DataFrame(
        {
            "state": states,
            "task": [f"t{(7 * place) % ROWS}" for place in range(ROWS)],
            "file": [0] * ROWS,
            "line": list(range(ROWS)),
            "created_at": pl.Series([None] * ROWS, dtype=pl.Float64),
            "row_hash": list(range(ROWS)),
        }
    )


def test_errors_in_a_row_are_an_outage_with_its_place() -> None:
    found = window(rows(range(20, 32)), seed=0)["window"]
    assert found["rows"] == [20, 32]
    assert (found["inside"], found["outside"], found["order"]) == (1.0, 0.0, "file")


def test_scattered_errors_are_no_outage() -> None:
    assert window(rows({5, 6, 21, 38, 39, 40, 57, 70, 71}), seed=0) == {}
    assert window(rows(range(0, ROWS, 8)), seed=0) == {}
