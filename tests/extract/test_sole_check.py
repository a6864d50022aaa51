"""Key and answer of a row whose one check records what it wanted and what it got."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.sole_check import sole_check
from blade.questions import answers_and_keys

CHECK = {"kind": "answer", "want": "8", "got_norm": "18", "got_raw": "18 jars", "ok": True}


def judged(task: int, attempt: int, wanted: str, got: str | None, *, ok: bool) -> Json:
    check = {"kind": "answer", "want": wanted, "got_norm": got, "got_raw": got, "ok": ok}
    fields = {"expected_answer": ABSENT, "extracted_answer": ABSENT, "verdict": {"checks": [check]}}
    return row(task, attempt, float(ok), **fields)


def test_both_sides_are_read_as_they_were_written() -> None:
    check = sole_check({"verdict": {"checks": [CHECK]}})
    assert check is not None
    assert tuple(check) == ("verdict.checks.want", "8", "verdict.checks.got_raw", "18 jars")


@pytest.mark.parametrize(
    "holder",
    [
        {"checks": [CHECK, CHECK]},
        {"checks": [CHECK], "others": [CHECK]},
        {"checks": [{"want": "8", "got": "9"}]},
        {"checks": [{**CHECK, "input": "3 5"}]},
        {"checks": [{"want": {"jars": 8}, "got": {"jars": 9}, "ok": False}]},
        {"checks": []},
        {"checks": ["want"]},
    ],
)
def test_several_checks_tests_of_programs_and_records_are_no_answer(holder: Json) -> None:
    assert sole_check({"verdict": holder}) is None


def test_fields_with_a_name_go_before_a_check() -> None:
    attempt = Attempt(row(3, verdict={"checks": [CHECK]}))
    assert attempt.answer == ("extracted_answer", "6")
    assert attempt.key is not None
    assert attempt.key.accepted == ("6",)


def test_faults_of_the_verifier_are_found_in_such_rows(tmp_path: Path) -> None:
    rows = [judged(task, 0, f"{task}250.50", f"{task}250.50", ok=True) for task in range(1, 9)]
    rows += [judged(task, 1, f"{task}250.50", f"Total: ${task},250.50", ok=False) for task in range(1, 6)]
    rows += [judged(task, 1, f"{task}250.50", "17", ok=False) for task in range(6, 9)]
    told = words(
        answers_and_keys.tell(analysed(write(tmp_path / "till.jsonl", rows)).investigation["answers_and_keys"])
    )
    assert (
        "5 failures in 5 tasks (1, 2, 3, 4 and 5) give an answer that equals the key but are scored as wrong: a fault "
        "of the verifier, not of the model. A comma between thousands stands in 5 of them, where the key has none, and "
        "in none of 8 that give the key and pass." in told
    ), told
