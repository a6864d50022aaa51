"""Tests that find nothing to look at."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors import assertion_stage, runtime_stage
from blade.detectors.absent_output import detect
from blade.findings import State

NO_FILE = "E   AssertionError: File /app/out.txt does not exist"
NOT_OPENED = "E   FileNotFoundError: [Errno 2] No such file or directory: '/app/out.txt'"


def graded(*lines: str) -> Attempt:
    return attempt(say("x"), test_output="\n".join(("running tests", *lines)))


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (graded(NO_FILE), "AssertionError"),
        (graded(NOT_OPENED), "FileNotFoundError"),
        (graded(NO_FILE, NOT_OPENED, "2 failed in 0.1s"), "AssertionError"),
        (graded("E   AssertionError: Recovery file was not created"), "AssertionError"),
        (graded("E   ValueError: the model was not found: model.pt"), "ValueError"),
    ],
)
def test_these_fire_and_no_work_is_said_to_run(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert seen.detail == f"the tests find nothing to look at ({value} in test_output)"
    assert proved(made, seen)
    assert {assertion_stage.detect(made).state, runtime_stage.detect(made).state} == {CLEAN}


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (graded(NO_FILE, "E   AssertionError: 3 != 4"), CLEAN),
        (graded(NO_FILE, "1 failed, 2 passed in 0.1s"), CLEAN),
        (graded("E   AssertionError: the key 'name' not found in /app/out.txt"), CLEAN),
        (graded("E   AssertionError: Password not found"), CLEAN),
        (graded("E   FileNotFoundError: [Errno 2] No such file or directory: '/tests/data.json'"), CLEAN),
        (graded("4 passed"), CLEAN),
        (attempt(say("File /app/out.txt does not exist")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
