"""Verdicts of a verifier whose log says that no test ran."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import said, task_row, words

from blade.questions import no_tests_ran

FINE = "===== 3 passed in 0.02s ====="
BROKEN = "===== 2 failed, 1 passed in 0.02s ====="
PYTEST = "collected 0 items\n\n===== no tests ran in 0.01s ====="


def _rows(silent: dict[int, str], failing: int = 6) -> list[Json]:
    return [
        task_row(
            task,
            said(f"Step {task}."),
            passed=task >= failing,
            verifier={"test_log": silent.get(task, FINE if task >= failing else BROKEN)},
        )
        for task in range(20)
    ]


def told(tmp_path: Path, silent: dict[int, str]) -> str:
    answer = analysed(write(tmp_path / "one.jsonl", _rows(silent))).investigation.get("no_tests_ran")
    return words(no_tests_ran.tell(answer)) if answer else ""


def test_failures_and_passes_without_a_test_are_told(tmp_path: Path) -> None:
    assert told(tmp_path, {1: PYTEST, 4: PYTEST, 9: PYTEST}) == (
        "In 3 judged rollouts the verifier's log says that no test ran (“no tests ran in 0.01s” in verifier.test_log): "
        "one 2 failures and 1 pass (1, 4 and 9). 2 failures there tell nothing of the work. 1 pass there is not "
        "earned. Without them one passes 13 of 17 (76.5%)."
    )


def test_it_stands_on_the_first_screen_with_a_step_and_a_health_item(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one.jsonl", _rows({1: PYTEST}))).investigation["no_tests_ran"]
    (head,) = no_tests_ran.brief(answer)
    assert head.text.startswith("In 1 judged rollout the verifier's log says that no test ran")
    (advice,) = no_tests_ran.advise(answer)
    assert (advice.kind, advice.because.text) == ("verifier", "1 rollout got a verdict where no test ran.")
    (item,) = no_tests_ran.health(answer)
    assert (item["check"], item["tasks"]) == ("void_attempts", ["1"])


@pytest.mark.parametrize(
    "log",
    [
        "Ran 0 tests in 0.000s\n\nOK",
        "No tests found, exiting with code 1",
        "Tests run: 0, Failures: 0, Errors: 0, Skipped: 0",
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed",
        "testing: warning: no tests to run\nPASS",
        "** TESTS=0 PASS=0 FAIL=0 SKIP=0 **",
        "0 examples, 0 failures",
    ],
)
def test_test_programs_say_it_in_many_ways(tmp_path: Path, log: str) -> None:
    assert told(tmp_path, {1: log}).startswith("In 1 judged rollout the verifier's log says that no test ran")


@pytest.mark.parametrize(
    "log",
    [
        "running 4 tests\ntest a ... FAILED\n\nDoc-tests jar\nrunning 0 tests",
        "collected 0 items / 1 error\n===== 1 error in 0.10s =====",
        "no tests ran in the first container\nretrying\n2 failed, 1 passed",
        "Ran 12 tests in 0.1s\nFAILED (failures=3)",
    ],
)
def test_where_a_test_ran_or_broke_at_collection_nothing_is_said(tmp_path: Path, log: str) -> None:
    assert told(tmp_path, {1: log}) == ""
