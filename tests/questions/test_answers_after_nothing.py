"""Answers that are stated although the last call came back empty."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, causes, said, words

from blade.extract.records import holds_nothing, says_no_output
from blade.questions import answers_after_nothing

TASKS = 8


def rollout(task: int, attempt: int, *, ends_empty: bool, passed: bool, notice: str = "(no output)") -> Json:
    """A rollout that computes, gets nothing back at first, and answers then or computes again."""
    items = called("compute", {"code": f"{task} + {task}"}, notice)
    if not ends_empty:
        items += called("compute", {"code": f"print({task} + {task})"}, str(2 * task))
    given = str(2 * task) if passed else str(500 + task)
    response = {"id": "r", "model": "m", "output": [*items, *said(f"It is {given}.")]}
    return row(task, attempt, float(passed), response=response, extracted_answer=given)


def test_they_get_their_label(tmp_path: Path) -> None:
    rows = [
        rollout(task, attempt, ends_empty=attempt < 2, passed=attempt >= 2)
        for task in range(TASKS)
        for attempt in range(4)
    ]
    answer = analysed(write(tmp_path / "jars.jsonl", rows)).investigation["answers_after_nothing"]
    assert causes(answer) == [("BI", "answers although its last call came back empty", 16)]


def told(path: Path, rows: list[Json]) -> str:
    answer = analysed(write(path / "jars.jsonl", rows)).investigation.get("answers_after_nothing")
    return words(answers_after_nothing.tell(answer)) if answer else ""


def test_they_are_told_beside_those_that_call_again(tmp_path: Path) -> None:
    rows = [
        rollout(task, attempt, ends_empty=attempt < 2, passed=attempt >= 2)
        for task in range(TASKS)
        for attempt in range(4)
    ]
    text = told(tmp_path, rows)
    assert text.startswith(
        "16 rollouts of 8 tasks (0, 1, 2, 3, 4, 5, 6 and 7) state an answer although their last call, of compute, came "
        "back empty: 0 of them pass, 16 of the 16 others at these tasks (exact test within tasks: p = "
    ), text
    assert "jars 16 (0 pass))." in text, text
    assert "In 16 of their 16 failures no tool shows the value that is given." in text
    assert (
        "An empty answer by itself costs nothing: of 16 rollouts that got one and called again 16 pass (jars 16). For "
        "instance the answer is “500”, the key “0” (jars, task 0, attempt 0, item 1)."
    ) in text, text


def test_where_they_pass_as_often_nothing_is_told(tmp_path: Path) -> None:
    rows = [
        rollout(task, attempt, ends_empty=attempt < 2, passed=attempt % 2 > 0)
        for task in range(TASKS)
        for attempt in range(4)
    ]
    assert told(tmp_path, rows) == ""


@pytest.mark.parametrize(
    "notice",
    ["(no output)", "[no stdout]", "No output.", "Your command ran successfully and did not produce any output.", " "],
)
def test_what_a_harness_writes_for_no_output_is_an_empty_answer(notice: str) -> None:
    assert holds_nothing(notice)


@pytest.mark.parametrize("text", ["There is no output file", "no outputs were changed by hand", "outlook: none", "0"])
def test_words_about_outputs_are_an_answer(text: str) -> None:
    assert not says_no_output(text)
