"""Verifiers that run out of time."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.eval_timeout import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), eval_timed_out=True), "eval_timed_out"),
        (attempt(say("x"), verifier_exit_code=124), "124"),
        (attempt(say("x"), failure_mode="test_timeout"), "test_timeout"),
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
        (attempt(say("x"), eval_timed_out=False), CLEAN),
        (attempt(say("x"), agent_timed_out=True), CLEAN),
        (attempt(say("x"), error_message="Time Limit Exceeded"), CLEAN),
        (attempt(say("x"), judge_error="connection refused"), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
