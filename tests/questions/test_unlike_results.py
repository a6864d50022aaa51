"""Passes that differ from what was wanted in a field that the verifier records of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import unlike_results

ROWS = {"one": 20, "other": 33}


def rollout(task: int, got: Any, wanted: Any, *, passed: bool, names: tuple[str, str] = ("got", "want")) -> Json:
    grading = {names[0]: {"n_rows": got}, names[1]: {"n_rows": wanted}, "log": "compared"}
    return row(task, reward=float(passed), grading=grading, expected_answer=None, extracted_answer=None)


def told(path: Path, rows: list[Json]) -> str:
    answer = analysed(write(path / "one.jsonl", rows)).investigation.get("unlike_results")
    return words(unlike_results.tell(answer)) if answer else ""


def usual(first: int, **options: Any) -> list[Json]:
    """Passes as wanted, and failures of which half have too few rows."""
    made = [rollout(task, task % 7, task % 7, passed=True, **options) for task in range(first, first + 30)]
    return made + [
        rollout(task, task % 2 + task % 5, task % 5, passed=False, **options) for task in range(first + 30, first + 50)
    ]


def test_passes_with_fewer_rows_than_wanted_are_told_with_the_score_without_them(tmp_path: Path) -> None:
    rows = [rollout(task, 20, 33 + task % 2, passed=True) for task in range(4)]
    assert told(tmp_path, [*rows, *usual(10)]) == (
        "4 of 34 passes differ in grading.got.n_rows from grading.want.n_rows (20 for 33 and 20 for 34), which the "
        "other passes have alike: the verifier does not compare it, or only a part (one 4; 0, 1, 2 and 3). Without "
        "these passes one passes 30 of 54 (55.6%)."
    )


def test_it_stands_on_the_first_screen_with_a_step(tmp_path: Path) -> None:
    rows = [rollout(task, 20, 33, passed=True) for task in range(4)]
    answer = analysed(write(tmp_path / "one.jsonl", [*rows, *usual(10)])).investigation["unlike_results"]
    assert next(unlike_results.brief(answer)).text.startswith("4 of 34 passes differ in grading.got.n_rows")
    (advice,) = unlike_results.advise(answer)
    assert (advice.kind, advice.because.text) == ("verifier", "4 passes differ in it.")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [rollout(task, 20, 33, passed=True) for task in range(2)],  # too few
        [rollout(task, 20, 33, passed=True) for task in range(25)],  # so usual that it is nothing wanted
        [rollout(task, 20, 33, passed=True, names=("size", "bulk")) for task in range(4)],  # names that say nothing
    ],
)
def test_what_is_rare_usual_or_not_named_so_is_not_told(tmp_path: Path, rows: list[Json]) -> None:
    assert told(tmp_path, [*rows, *usual(30)]) == ""


def test_a_value_that_failures_have_alike_as_often_is_no_result(tmp_path: Path) -> None:
    rows = [rollout(task, 20, 33, passed=True) for task in range(4)]
    rows += [rollout(task, task % 7, task % 7, passed=task < 40) for task in range(10, 60)]
    assert told(tmp_path, rows) == ""
