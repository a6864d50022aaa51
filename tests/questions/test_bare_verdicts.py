"""Failures without a recorded reason: counted where a verdict stands alone, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import bare_verdicts

TASKS = 40


def rollout(task: int, **more: object) -> Json:
    call = {"type": "function_call", "call_id": "c", "name": "save", "arguments": f'{{"text": "draft {task}"}}'}
    saved = {"type": "function_call_output", "call_id": "c", "output": "saved"}
    said = response(call, saved, message(f"Saved draft {task}."))
    made = row(task, 0, float(task % 4 == 0), response=said) | more
    for key in ("expected_answer", "extracted_answer", "answer"):
        made.pop(key, None)
    return made


def told(path: Path, rows: list[Json]) -> str:
    answer = analysed(write(path, rows)).investigation.get("bare_verdicts")
    return words(bare_verdicts.tell(answer)) if answer else ""


def test_a_verdict_that_stands_alone_is_no_reason(tmp_path: Path) -> None:
    assert told(tmp_path / "run.jsonl", [rollout(task) for task in range(TASKS)]) == (
        "30 of 30 judged failures end without an error and record no check, message, log or answer: why they fail "
        "cannot be told from the rows."
    )


def test_what_other_failures_record_is_left_out(tmp_path: Path) -> None:
    rows = [
        rollout(task, **({"judge_message": "the draft lacks a date"} if task < 12 else {})) for task in range(TASKS)
    ]
    assert told(tmp_path / "run.jsonl", rows).startswith("21 of 30 judged failures end without an error")


@pytest.mark.parametrize(
    "reason",
    [
        {"judge_message": "the draft lacks a date"},
        {"extracted_answer": "7", "expected_answer": "9"},
        {"verifier": {"tests": {"test_saved": "passed", "test_dated": "failed"}}},
    ],
    ids=["message", "answer", "checks"],
)
def test_a_recorded_reason_is_one(tmp_path: Path, reason: Json) -> None:
    rows = [rollout(task) | (reason if task % 4 else {}) for task in range(TASKS)]
    assert told(tmp_path / "run.jsonl", rows) == ""


def test_the_advice_is_to_keep_what_the_verifier_prints(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [rollout(task) for task in range(TASKS)])
    (advice,) = bare_verdicts.advise(analysed(path).investigation["bare_verdicts"])
    assert (advice.kind, advice.because.text) == ("verifier", "30 of 30 judged failures give no reason.")
