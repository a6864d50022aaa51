"""A task whose user is told something else in another run is not the same task."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import said, task_row, words

from blade.questions import changed_tasks

TOLD = "You want the order of shelf {} cancelled, and you speak briefly."


def _row(task: int, told: str, *, passed: bool) -> Json:
    return task_row(task, said("Done."), passed=passed, metadata={"user_instruction": told})


def test_a_task_with_another_instruction_is_named_with_the_words_that_differ(tmp_path: Path) -> None:
    one = [_row(task, TOLD.format(task), passed=True) for task in range(8)]
    other = [_row(task, TOLD.format(task), passed=task != 3) for task in range(8)]
    other[3]["metadata"]["user_instruction"] = TOLD.format(3).replace("cancelled,", "cancelled by card,")
    paths = write(tmp_path / "one.jsonl", one), write(tmp_path / "other.jsonl", other)
    answer = analysed(*paths).investigation["changed_tasks"]
    (pair,) = answer["pairs"]
    assert (pair["tasks"], pair["of_tasks"], pair["common"], pair["changed"]) == (["3"], 1, 8, 1)
    told = words(changed_tasks.tell(answer))
    assert "1 of 8 tasks that one and other have in common is given with another instruction (3)" in told
    assert "Task 3: “cancelled,” in one, “cancelled by card,” in other." in told


def test_instructions_that_all_differ_are_a_setting_and_equal_ones_are_silent(tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", [_row(task, TOLD.format(task), passed=True) for task in range(8)])
    other = write(tmp_path / "other.jsonl", [_row(task, "Now. " + TOLD.format(task), passed=True) for task in range(8)])
    same = write(tmp_path / "same.jsonl", [_row(task, TOLD.format(task), passed=True) for task in range(8)])
    assert "changed_tasks" not in analysed(one, other).investigation
    assert "changed_tasks" not in analysed(one, same).investigation
