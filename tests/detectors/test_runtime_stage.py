"""Work that breaks while it runs."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.runtime_stage import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(
                say("x"),
                test_output="Traceback (most recent call last):\n  File \"t.py\"\nNameError: name 'f' is not defined",
            ),
            "NameError",
        ),
        (attempt(say("x"), error_message="Time Limit Exceeded", code="while 1: pass"), "time limit exceeded"),
        (attempt(say("```c\nint main;\n```"), stderr="Segmentation fault (core dumped)"), "segmentation fault"),
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
        (attempt(say("x"), error="AssertionError: 3 != 4", code="f()"), CLEAN),
        (attempt(say("x"), test_log="E   subprocess.CalledProcessError: Command failed"), CLEAN),
        (attempt(say("x"), exception_type="RuntimeError"), NOT_APPLICABLE),
        (attempt(say("TypeError: x"), prompt="Why TypeError?"), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)


def test_a_time_limit_is_not_told_as_a_break() -> None:
    seen = detect(attempt(say("x"), error_message="Time Limit Exceeded", code="while 1: pass"))
    assert seen.detail == "a time limit ends the tests (time limit exceeded in error_message)"


def test_what_names_another_party_is_not_said_to_end_the_tests() -> None:
    for error in ("harness.errors.AgentTimeoutError: stopped", "NonZeroAgentExitCodeError: 137"):
        assert detect(attempt(say("x"), test_log=error)).state is State.CLEAN
    own_error = detect(attempt(say("x"), test_log="AgentTimeoutError: stopped\nE   ValueError: no ink"))
    assert own_error.detail == "an error ends the tests (ValueError in test_log)"


def test_where_every_test_has_a_result_one_of_them_was_ended() -> None:
    results = {"test_ink": "failed", "test_press": "passed"}
    shown = detect(attempt(say("x"), test_log="E   ValueError: no ink", test_results=results))
    assert shown.detail == "an error ends a test (ValueError in test_log)"
