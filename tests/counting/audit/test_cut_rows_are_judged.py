"""A row that the limit of its own output cut is a failure, even where the verifier left nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, only_run, response, row, write
from tests.questions.made_cases import words

from blade.sections import attempt_audit

JUDGED = {"verdict": "wrong", "test_results": {"test_jars": "failed", "test_lids": "passed"}}
PASSED = {"verdict": "right", "test_results": {"test_jars": "passed", "test_lids": "passed"}}
WITHOUT_A_WORD = {"verdict": "wrong", "test_results": None}
UNJUDGED = {"verdict": "not_run", "test_results": None}
LIMIT = "max_output_tokens"


def jars(task: int, marking: Json, machine: str = "north", *, reason: str = "") -> Json:
    look = {"type": "function_call", "name": "look", "arguments": f'{{"at": {task}}}', "call_id": "c"}
    shelf = {"type": "function_call_output", "call_id": "c", "output": f"shelf {task} holds {7 * task} jars"}
    cut = {"status": "incomplete", "incomplete_details": {"reason": reason}} if reason else {}
    output = response(look, shelf, message(f"There are {7 * task} jars on shelf {task}."), **cut)
    return row(
        task,
        0,
        float(marking is PASSED),
        response=output,
        marking=marking,
        harness={"machine": machine},
        expected_answer=ABSENT,
        extracted_answer=ABSENT,
    )


def judged_rows() -> list[Json]:
    return [jars(task, (JUDGED, PASSED)[task % 2], ("north", "south")[task % 3 > 0]) for task in range(12)]


@pytest.mark.parametrize("marking", [UNJUDGED, WITHOUT_A_WORD], ids=["a word for it", "a machine"])
@pytest.mark.parametrize(("reason", "not_judged"), [(LIMIT, 0), ("", 4)])
def test_what_was_cut_at_the_token_limit_is_a_failure_and_what_was_not_is_unjudged(
    tmp_path: Path, marking: Json, reason: str, not_judged: int
) -> None:
    rows = judged_rows() + [jars(task, marking, "east", reason=reason) for task in range(12, 16)]
    path = write(tmp_path / "pantry.jsonl", rows)
    run = only_run(path)
    audit = run.audit
    assert (audit["not_judged"], audit["unjudged"]) == (not_judged, 0)
    assert (audit["failures"], audit["judged_failures"]) == (10, 10 - not_judged)
    assert audit["scores"]["judged"]["rows"] == 16 - not_judged
    assert run.statuses.get("truncated", 0) == 4 - not_judged
    assert run.statuses.get("verifier_error", 0) == not_judged
    shown = words(attempt_audit.build(analysed(path)))
    assert ("4 rollouts of pantry (4 tasks) were never judged" in shown) is bool(not_judged)


def test_only_the_cut_rows_of_a_run_are_spared(tmp_path: Path) -> None:
    rows = judged_rows() + [jars(task, UNJUDGED, reason=LIMIT) for task in range(12, 14)]
    rows += [jars(task, UNJUDGED) for task in range(14, 17)]
    audit = only_run(write(tmp_path / "pantry.jsonl", rows)).audit
    assert (audit["not_judged"], audit["failures"], audit["judged_failures"]) == (3, 11, 8)


def test_cut_rows_without_results_are_not_even_doubtful(tmp_path: Path) -> None:
    """Spread over the machines, rows without results are doubtful; those of them that were cut are not."""
    lacking = [jars(task, WITHOUT_A_WORD, ("north", "south")[task % 2]) for task in range(12, 16)]
    audit = only_run(write(tmp_path / "pantry.jsonl", judged_rows() + lacking)).audit
    assert (audit["not_judged"], audit["unjudged"], audit["judged_failures"]) == (0, 4, 6)
    cut = [
        jars(task, WITHOUT_A_WORD, ("north", "south")[task % 2], reason=LIMIT if task < 15 else "")
        for task in range(12, 16)
    ]
    audit = only_run(write(tmp_path / "again" / "pantry.jsonl", judged_rows() + cut)).audit
    assert (audit["not_judged"], audit["unjudged"], audit["judged_failures"]) == (0, 1, 9)
