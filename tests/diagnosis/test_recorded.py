"""A sign that a run's rows cannot show is not compared: what nobody recorded is not rarer there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, response, row, write

import blade
from blade.model import Analysis

LOG = "collected 2 items\nE       AssertionError: assert 3 == 4\nFAILED tests/test_sum.py::test_total"
TASKS = range(12)


def _judged(task: int, attempt: int, log: str | None) -> Json:
    checks = {"test_total": "failed", "test_file": "passed"}
    verifier = {"parser_results": checks, "failure_mode": "unset", "test_output": log}
    return row(task, attempt, 0.0, response=response(), verifier=verifier, expected_answer=None, extracted_answer=None)


def _pass(task: int, attempt: int) -> Json:
    verifier = {"parser_results": {"test_total": "passed", "test_file": "passed"}, "failure_mode": "unset"}
    return row(task, attempt, 1.0, response=response(), verifier=verifier, expected_answer=None, extracted_answer=None)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The first run keeps no logs and passes one attempt in three; the second keeps them and passes two in three."""
    folder: Path = tmp_path_factory.mktemp("records")
    bare = [_pass(task, 0) for task in TASKS] + [_judged(task, one, None) for task in TASKS for one in (1, 2)]
    logged = [_pass(task, one) for task in TASKS for one in (0, 1)] + [_judged(task, 2, LOG) for task in TASKS]
    return analysed(write(folder / "bare.jsonl", bare), write(folder / "logged.jsonl", logged))


def test_a_run_without_logs_is_not_said_to_lack_what_only_logs_show(analysis: Analysis) -> None:
    mode = next(mode for mode in analysis.modes if mode.id == "assertion_stage")
    assert (mode.runs["bare"]["recorded"], mode.runs["logged"]["recorded"]) == (False, True)
    assert mode.trend is None
    assert mode.shift is None
    text = blade.render(blade.report(analysis))
    assert "New in" not in text
    (line,) = [line for line in text.splitlines() if line.startswith("| work that runs and fails the tests |")]
    assert "not recorded" in line


def test_the_ledger_does_not_split_failures_by_what_one_run_alone_records(analysis: Analysis) -> None:
    (change,) = analysis.changes
    assert {part.sub for part in change.parts if part.cause == "behaviour"} == {None}
    (note,) = [note for note in change.notes if note.startswith("Failure modes")]
    assert note.endswith(
        "as one of the two runs keeps none: work that runs and fails the tests and some checks passed, others failed."
    )


def test_what_both_record_is_compared_still(tmp_path: Path) -> None:
    before = [_judged(task, one, None) for task in TASKS for one in range(3)]
    after = [_pass(task, one) for task in TASKS for one in range(3)]
    analysis = analysed(write(tmp_path / "before.jsonl", before), write(tmp_path / "after.jsonl", after))
    mode = next(mode for mode in analysis.modes if mode.id == "partial_credit")
    assert mode.trend == "gone"
    assert mode.shift is not None
    assert mode.shift["beyond_chance"]


def test_attempts_that_were_never_judged_do_not_make_a_sign_rarer(tmp_path: Path) -> None:
    """All judged attempts of both runs show it: that the second run lost most of its attempts changes nothing."""
    before = [_judged(task, one, None) for task in TASKS for one in range(4)]
    lost = {"error": "Connection refused: the sandbox could not be reached", "response": None}
    after = [_judged(task, 0, None) for task in TASKS]
    after += [row(task, one, 0.0, **lost, expected_answer=None) for task in TASKS for one in (1, 2, 3)]
    analysis = analysed(write(tmp_path / "before.jsonl", before), write(tmp_path / "after.jsonl", after))
    mode = next(mode for mode in analysis.modes if mode.id == "partial_credit")
    assert mode.shift is not None
    assert (mode.shift["more"], mode.shift["fewer"]) == (0, 0)
