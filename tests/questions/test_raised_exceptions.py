"""Rollouts that an exception ended, and the score of the rest."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import raised_exceptions


def _rows(raised: int, name: str = "PressJamError") -> list[Json]:
    rows = [row(task, 0, float(task % 2)) for task in range(20)]
    for task in range(raised):
        rows[task] |= {"exception": {"class": name}}
    return rows


def test_rollouts_with_an_exception_are_counted_and_the_rest_scored_without_them(tmp_path: Path) -> None:
    jammed = write(tmp_path / "jammed.jsonl", _rows(7))
    calm = write(tmp_path / "calm.jsonl", [row(task, 0, float(task % 3 > 0)) for task in range(20)])
    answer = analysed(f"jammed={jammed}", f"calm={calm}").investigation["raised_exceptions"]
    assert words(raised_exceptions.tell(answer)) == (
        "7 of the 20 judged rollouts of jammed ended by an exception (exception.class: PressJamError 7), and 3 of "
        "these pass; of the others 7 of 13 pass (53.8%). No judged rollout of calm names an exception."
    )


def test_few_exceptions_and_words_that_are_no_classes_are_not_told(tmp_path: Path) -> None:
    for rows in (_rows(4), _rows(7, "the press was jammed")):
        assert "raised_exceptions" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation
