"""Failures by how many of their checks they miss."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import checks_short


def _row(task: int, *verdicts: str) -> Json:
    results = {f"test_{place}": verdict for place, verdict in enumerate(verdicts)}
    reward = float(all(verdict == "passed" for verdict in verdicts))
    return row(task, reward=reward, expected_answer=None, extracted_answer=None, verifier={"test_results": results})


def test_failures_are_counted_by_the_checks_they_miss(tmp_path: Path) -> None:
    rows = [_row(task, "passed", "passed", "passed") for task in range(3)]
    rows += [_row(task, "failed", "failed", "failed") for task in range(3, 5)]
    rows += [_row(5, "passed", "failed", "failed"), _row(6, "passed", "passed", "failed")]
    rows += [_row(7, "failed", "passed", "passed"), _row(8, "failed")]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["checks_short"]
    assert words(checks_short.tell(answer)) == (
        "one: of 5 judged failures with several named checks 2 meet none of them and 3 meet some; 2 fall short by a "
        "single check (6 and 7)."
    )


def test_few_failures_with_checks_are_not_told(tmp_path: Path) -> None:
    rows = [_row(task, "passed", "failed") for task in range(4)] + [_row(4, "passed", "passed")]
    assert "checks_short" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
