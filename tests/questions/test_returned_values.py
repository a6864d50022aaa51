"""A tool that accepts a change and keeps answering with the old value is told, with what it was asked for."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import returned_values


def _row(task: int, shown: str, *, tool: str = "update_booking") -> Json:
    asked = {"booking": f"B{task}", "seat": "window"}
    answer = {"booking": f"B{task}", "seat": shown, "guests": 2}
    return task_row(task, called(tool, asked, answer), said("Done."), passed=task % 2 == 0)


def test_values_that_do_not_come_back_are_counted_over_all_rollouts(tmp_path: Path) -> None:
    rows = [*(_row(task, "aisle") for task in range(12)), *(_row(task, "Window ") for task in range(12, 15))]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["returned_values"]
    assert [(entry["tool"], entry["argument"]) for entry in answer["fields"]] == [("update_booking", "seat")]
    told = words(returned_values.tell(answer))
    assert "update_booking accepts a “seat” and answers with another one in 12 of 15 calls that name it" in told, told
    assert "in 12 rollouts (6 of them pass; " in told
    assert "attempt 0, “window” was asked for and “aisle” came back." in told


def test_what_mostly_comes_back_or_changes_nothing_is_not_told(tmp_path: Path) -> None:
    mostly = [*(_row(task, "aisle") for task in range(10)), *(_row(task, "window") for task in range(10, 24))]
    reading = [_row(task, "aisle", tool="get_booking") for task in range(12)]
    for name, rows in (("mostly", mostly), ("reading", reading)):
        assert "returned_values" not in analysed(write(tmp_path / f"{name}.jsonl", rows)).investigation


def test_refused_calls_do_not_count(tmp_path: Path) -> None:
    refused = [
        task_row(task, called("update_booking", {"seat": "window"}, "Error: sold out"), said("No."), passed=False)
        for task in range(12)
    ]
    assert "returned_values" not in analysed(write(tmp_path / "run.jsonl", refused)).investigation
