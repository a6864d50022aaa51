"""What the code of calls holds: marks of programs and arguments that go with passing at the same tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, Json, analysed, response, row, write
from tests.questions.made_cases import called, causes, said, words

from blade.extract.attempt import Attempt
from blade.extract.code_marks import code_marks
from blade.questions import code_in_calls

PAGED = "page = 0\nwhile True:\n    jars = shop.jars(page=page)\n    if not jars:\n        break\n    page += 1"
FIRST_PAGE = "jars = shop.jars(limit=5)\nprint(len(jars))"


def counted(task: int, attempt: int, code: str, *, passed: bool) -> Json:
    items = [*called("run_python", {"code": code}, f"{task} jars"), *said(f"There are {task} jars, said {attempt}.")]
    return row(
        task,
        attempt,
        float(passed),
        response=response(*items),
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def pantry(*, deciding: bool) -> list[Json]:
    """Eight tasks with four attempts: two read every page, and pass; where that decides nothing, every other passes."""
    rows = []
    for task in range(8):
        for attempt in range(4):
            paged = attempt < 2
            rows.append(
                counted(
                    task,
                    attempt,
                    PAGED if paged else FIRST_PAGE,
                    passed=paged if deciding else (attempt + task) % 2 == 0,
                )
            )
    return rows


def test_what_separates_at_the_same_tasks_is_told_once_with_its_runs(tmp_path: Path) -> None:
    answer: Any = analysed(write(tmp_path / "pantry.jsonl", pantry(deciding=True))).investigation["code_in_calls"]
    told = words(code_in_calls.tell(answer))
    assert told == (
        "Counted at the tasks whose rollouts differ in it and in how they end, over all runs; in brackets each run, "
        "with it and without. It is a trace of how the work was done, and need not be its cause.\n"
        "Rollouts whose calls hold “break”, “if” and “while” pass 16 of 16, others at the same 8 tasks 0 of 16 (pantry "
        "16 of 16 and 0 of 16; 0, 1, 2, 3, 4, 5, 6 and 7; exact test p < 0.0001)."
    )


def test_what_stands_in_passes_as_often_is_not_told(tmp_path: Path) -> None:
    rows = pantry(deciding=False)
    assert "code_in_calls" not in analysed(write(tmp_path / "pantry.jsonl", rows)).investigation


def test_two_tasks_are_too_few(tmp_path: Path) -> None:
    rows = [made for made in pantry(deciding=True) if made["_ng_task_index"] < 2]
    assert "code_in_calls" not in analysed(write(tmp_path / "pantry.jsonl", rows)).investigation


@pytest.mark.parametrize(
    ("arguments", "marks"),
    [
        ({"code": PAGED}, ["shop.jars()", "while", "if", "break"]),
        (
            {"code": "try:\n    pay(fee=None)\nexcept Exception:\n    pass"},
            ["pay()", "fee=None", "try", "except", "pass"],
        ),
        ({"cmd": "git log --oneline --all"}, ["--oneline", "--all"]),
        ({"limit": 20, "draft": False, "name": "plum"}, ["shop: limit=20", "shop: draft=False"]),
        ({"query": "jars of plums"}, []),
    ],
)
def test_marks_of_programs_command_lines_and_arguments(arguments: Json, marks: list[str]) -> None:
    made = row(0, 0, response=response(*called("shop", arguments, "done"), *said("Done.")))
    assert code_marks(Attempt(made)).get("code_marks", []) == marks


def test_a_rollout_without_calls_has_none() -> None:
    assert code_marks(Attempt(row(0, 0, response=response(*said("f(x=1)"))))) == {}


def test_the_side_that_fails_gets_its_label(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "pantry.jsonl", pantry(deciding=True)))
    assert causes(analysis.investigation["code_in_calls"]) == [
        ("BI", "its calls lack “break”, which parts failures from passes at the same tasks", 16)
    ]
    assert {(label.labels, label.rule) for label in analysis.labels} == {(("BI",), "code_in_calls")}
