"""Rollouts that hand in several answers where the key has one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import several_answers


def _row(task: int, text: str, *, passed: bool, key: str = "77", **fields: Any) -> Json:
    return row(task, 0, float(passed), response=response(message(text)), expected_answer=key, **fields)


def _told(tmp_path: Path, rows: list[Json]) -> str:
    plain = [_row(task, "So \\boxed{77}.", passed=True, extracted_answer="77") for task in range(20, 30)]
    plain += [_row(task, "So \\boxed{76}.", passed=False, extracted_answer="76") for task in range(30, 36)]
    investigation = analysed(f"run={write(tmp_path / 'run.jsonl', rows + plain)}").investigation
    return words(several_answers.tell(investigation["several_answers"])) if "several_answers" in investigation else ""


def test_two_boxes_of_which_one_is_right_are_told_with_the_score_without_them(tmp_path: Path) -> None:
    rows = [_row(task, "\\boxed{77} or \\boxed{78}", passed=True, extracted_answer="77") for task in range(3)]
    assert _told(tmp_path, rows) == (
        "3 judged rollouts hand in several answers where the key has one, and one of them is the key's: 3 of them pass "
        "(0, 1 and 2), such as '77' and '78' for the key '77' (run, task 0, attempt 0). In 3 of these passes the last "
        "one is not the key's.\nrun: 3 rollouts, 3 of which pass; without these passes it is 10 of 19 (52.6%) instead "
        "of 13."
    )


def test_alternatives_in_one_answer_are_told(tmp_path: Path) -> None:
    texts = ("Marlin or, alternatively, Grebe", "Grebe / Marlin", "Grebe or Marlin")
    rows = [
        _row(task, f"ANSWER: {text}", passed=True, key="Marlin", extracted_answer=text)
        for task, text in enumerate(texts)
    ]
    assert "3 of them pass (0, 1 and 2), such as 'Marlin' and 'Grebe' for the key 'Marlin'" in _told(tmp_path, rows)


def test_a_second_name_in_brackets_and_a_key_with_and_in_it_are_told(tmp_path: Path) -> None:
    texts = (
        "Rook and Grebe (possibly Marlin)",
        "Marlin, perhaps Rook and Grebe",
        "Marlin, alternatively Rook and Grebe",
    )
    rows = [
        _row(task, f"ANSWER: {text}", passed=True, key="Rook and Grebe", extracted_answer=text)
        for task, text in enumerate(texts)
    ]
    text = _told(tmp_path, rows)
    assert "3 of them pass (0, 1 and 2), such as 'Rook and Grebe' and 'Marlin' for the key 'Rook and Grebe'" in text
    assert "In 1 of these passes the last one is not the key's." in text


@pytest.mark.parametrize(
    ("text", "answer", "key", "passed"),
    [
        ("ANSWER: Rook or Grebe", "Rook or Grebe", "Rook and Grebe", True),
        ("ANSWER: It is possibly Marlin", "It is possibly Marlin", "Marlin", True),
        ("\\boxed{77} and once more \\boxed{77}", "77", "77", True),
        ("\\boxed{1} or \\boxed{2}", "1", "1, 2", True),
        ("\\boxed{77} or \\boxed{78}", "77", "77", False),
    ],
)
def test_one_answer_twice_keys_of_several_parts_and_refused_answers_are_not(
    text: str, answer: str, key: str, passed: bool, tmp_path: Path
) -> None:
    rows = [_row(task, text, passed=passed, key=key, extracted_answer=answer) for task in range(4)]
    assert not _told(tmp_path, rows)


def test_what_answers_depend_on_is_no_part_of_them(tmp_path: Path) -> None:
    texts = (
        "either 77 km or 78 km",
        "78 km, alternatively 77 km",
        "77 km (78 km on another reading)",
        "78 km, or 77 km depending on how the bends are counted",
    )
    rows = [
        _row(task, f"ANSWER: {text}", passed=True, key="77 km", extracted_answer=text)
        for task, text in enumerate(texts)
    ]
    text = _told(tmp_path, rows)
    assert "4 of them pass (0, 1, 2 and 3), such as '77 km' and '78 km' for the key '77 km'" in text
    assert "In 2 of these passes the last one is not the key's." in text


def test_a_comparison_in_an_answer_is_no_second_one(tmp_path: Path) -> None:
    rows = [
        _row(task, "ANSWER: 77 km or more", passed=True, key="77 km or more", extracted_answer="77 km or more")
        for task in range(4)
    ]
    assert not _told(tmp_path, rows)
