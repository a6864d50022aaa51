"""Work that runs and fails the tests."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.assertion_stage import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), test_output="E   AssertionError: 3 != 4"), "AssertionError"),
        (attempt(say("x"), metadata={"error_message": "Wrong answer: line 2"}, code="print(1)"), "wrong answer"),
        (attempt(say("x"), test_log="the tests expected 4 but got 3"), "test failed"),
        (attempt(say("x"), verifier={"test_output_tail": "E   AssertionError: 3 != 4"}), "AssertionError"),
        (
            attempt(
                say("```python\nx = 1\n```"),
                details={
                    "test_failure_with_exit_code": "Traceback (most recent call last):\n"
                    '  File "t.py", line 1, in test\nAssertionError: 3 not found in 4\n'
                },
            ),
            "AssertionError",
        ),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)
    assert seen.cites


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), test_log="all 4 tests ran: 4 passed"), CLEAN),
        (attempt(say("x"), error="SyntaxError: invalid syntax", code="x ="), CLEAN),
        (attempt(say("x"), test_log="TypeError: bad operand\nE   AssertionError: 3 != 4 in a test"), CLEAN),
        (attempt(say("x"), failure_reason="tool_name_mismatch"), NOT_APPLICABLE),
        (attempt(say("I expected 4 but got 3.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
