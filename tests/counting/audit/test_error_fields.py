"""A field that is filled in failures alone, and with errors of machines alone, marks rows that broke off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.gym_rows import Json, analysed, only_run, row, write
from tests.questions.made_cases import words

from blade.counting.audit.error_fields import error_fields
from blade.counting.columns import Column
from blade.sections import attempt_audit

LEASE = "lease 81 was not granted"
STORE = "could not mount the store"


def field(values: Sequence[Any]) -> Column:
    different = list(dict.fromkeys(map(str, values)))
    codes = np.array([different.index(str(value)) for value in values])
    originals = {str(value): value for value in values}
    return Column("aftermath", [originals[text] for text in different], np.arange(len(values)), codes)


def errors(values: Sequence[Any], passes: Sequence[int] = ()) -> dict[int, str]:
    failed = [place not in passes for place in range(len(values))]
    return error_fields(failed, [field(values)])


def test_such_rows_come_with_what_the_field_says() -> None:
    assert errors([None, LEASE, STORE, None]) == {1: f"aftermath: {LEASE}", 2: f"aftermath: {STORE}"}


@pytest.mark.parametrize("empty", [None, "", []])
def test_a_field_that_is_empty_elsewhere_says_nothing_there(empty: Any) -> None:
    assert set(errors([LEASE, STORE, empty, empty])) == {0, 1}


@pytest.mark.parametrize(
    ("values", "passes"),
    [
        ([LEASE, None, None, None], ()),  # one row alone
        ([LEASE, STORE, LEASE, None, None], ()),  # more than half of all rows
        ([LEASE, STORE, None, None], (1,)),  # a row with it passed
        ([LEASE, "wrong number of lids", None, None], ()),  # an ordinary failure stands there, too
        (["connection refused", "connection refused", None, None], ()),  # a label, which is held against the score
        ([LEASE, 3, None, None], ()),
    ],
    ids=["alone", "most rows", "a pass", "other words", "a label", "a number"],
)
def test_any_other_field_tells_of_none(values: Sequence[Any], passes: Sequence[int]) -> None:
    assert errors(values, passes) == {}


def test_a_label_of_one_word_becomes_an_error_with_one_word_more() -> None:
    assert set(errors(["the connection refused", "the connection refused", None, None])) == {0, 1}


def jars(task: int, reward: float, aftermath: str | None = None) -> Json:
    return row(task, 0, reward, aftermath=aftermath)


@pytest.mark.parametrize(("last", "broken"), [("lease 95 was not granted", 4), ("the lids do not fit", 0)])
def test_the_rows_of_a_run_with_such_a_field_were_broken_off(tmp_path: Path, last: str, broken: int) -> None:
    rows = [jars(task, float(task % 2)) for task in range(12)]
    rows += [jars(task, 0.0, f"lease {80 + task} was not granted") for task in range(12, 15)]
    path = write(tmp_path / "jars.jsonl", [*rows, jars(15, 0.0, last)])
    audit = only_run(path).audit
    assert (audit["broken"], audit["failures"], audit["judged_failures"]) == (broken, 10, 10 - broken)
    shown = words(attempt_audit.build(analysed(path)))
    assert ("4 rollouts of jars (4 tasks) were broken off by infrastructure" in shown) is bool(broken)
