"""Failures from which no answer was read and that had said the expected one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import said_answers


def _row(task: int, text: str, answer: str | None, *, passed: bool = False) -> Json:
    return row(
        task,
        0,
        float(passed),
        response=response(message(text)),
        expected_answer=str(70 + task),
        extracted_answer=answer,
    )


def _investigation(tmp_path: Path, rows: list[Json]) -> Mapping[str, Any]:
    plain = [_row(task, f"FINAL: {70 + task}", str(70 + task), passed=True) for task in range(20, 40)]
    return analysed(f"run={write(tmp_path / 'run.jsonl', rows + plain)}").investigation


def test_those_that_had_it_and_went_on_are_told_with_their_words(tmp_path: Path) -> None:
    rows = [_row(task, f"So the answer should be {70 + task}. Wait, let me redo this", "") for task in range(6)]
    rows += [_row(task, "I list them one by one. 3: no, 4: no, 5:", "") for task in range(6, 9)]
    answer = _investigation(tmp_path, rows)["said_answers"]
    told = (
        "6 of 9 failures from which no answer was read say the expected answer on their way and end without handing it "
        "in (0, 1, 2, 3, 4 and 5), such as “answer should be 70. Wait” for the key '70' (run, task 0, attempt 0): they "
        "had it, and went on until something ended them."
    )
    assert words(said_answers.tell(answer)) == f"{told} By run: run 6 of 9."
    assert [head.text for head in said_answers.brief(answer)] == [told]
    (step,) = said_answers.advise(answer)
    assert (step.kind, step.rollouts) == ("prompt", 6)


def test_another_answer_a_denial_and_answers_that_were_read_are_not_told(tmp_path: Path) -> None:
    rows = [_row(task, f"The answer should be {71 + task}. Wait", "") for task in range(6)]
    rows += [_row(task, f"The answer is not {70 + task}. Wait", "") for task in range(6, 12)]
    rows += [_row(task, f"The answer is {70 + task}. Or rather 5", "5") for task in range(12, 18)]
    assert "said_answers" not in _investigation(tmp_path, rows)
