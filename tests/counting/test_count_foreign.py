"""Rows that another model or service made."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from blade.counting.foreign import mark_foreign


def rows(
    forms: Sequence[str | None], *, items: int = 1, state: str = "ok", models: list[str] | None = None
) -> pl.DataFrame:
    count = len(forms)
    return pl.DataFrame(
        {
            "model": models or ["a-model"] * count,
            "id_form": pl.Series(forms, dtype=pl.String),
            "items": [items] * count,
            "output_tokens": [None] * count,
            "state": [state] * count,
        }
    )


def test_ids_of_another_form_tell_rows_that_bear_the_same_name() -> None:
    marked, flaws = mark_foreign(rows(["resp"] * 30 + ["chatcmpl"] * 10))
    assert marked["foreign"].to_list() == [False] * 30 + [True] * 10
    assert flaws[0].rows == 10
    assert "chatcmpl (10)" in flaws[0].statement


@pytest.mark.parametrize(
    "frame",
    [
        rows(["resp"] * 25 + ["chatcmpl"] * 15),  # no clear majority
        rows(["resp"] * 30 + ["chatcmpl"] * 4),  # too few to be more than an accident
        rows(["resp"] * 12 + ["chatcmpl"] * 5),  # a small file
        rows(["resp"] * 30 + [None] * 10),  # an id of no form says nothing
        rows(["resp"] * 30 + ["error"] * 10, items=0),  # placeholders hold no output
        rows(["resp"] * 30 + ["error"] * 10, state="infrastructure"),
    ],
)
def test_weak_traces_are_not_believed(frame: pl.DataFrame) -> None:
    marked, flaws = mark_foreign(frame)
    assert not marked["foreign"].any()
    assert flaws == []


def test_a_run_of_two_models_says_so_and_keeps_its_rows() -> None:
    marked, flaws = mark_foreign(rows(["resp"] * 30, models=["a-model"] * 18 + ["b-model"] * 12))
    assert not marked["foreign"].any()
    assert [(flaw.slug, flaw.rows) for flaw in flaws] == [("mixed-models", 30)]
    assert "a-model (18), b-model (12)" in flaws[0].statement
    assert mark_foreign(rows(["resp"] * 30, models=["a-model"] * 18 + ["a-model-2024-05-01"] * 12))[1] == []


def test_a_name_goes_before_a_trace() -> None:
    frame = rows(["resp"] * 30 + ["chatcmpl"] * 10, models=["b-model"] * 6 + ["a-model"] * 34)
    marked, flaws = mark_foreign(frame)
    assert marked["foreign"].to_list() == [True] * 6 + [False] * 34
    assert "b-model (6)" in flaws[0].statement
