"""Agents that run out of time."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.agent_timeout import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), agent_timed_out=True), "agent_timed_out"),
        (attempt(error="The agent timed out after 900 s"), "error"),
        (attempt(_ng_failure_class="timeout_exceeded"), "timeout_exceeded"),
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
        (attempt(say("x"), agent_timed_out=False), CLEAN),
        (attempt(say("x"), eval_timed_out=True), CLEAN),
        (attempt(say("x"), error_message="Time Limit Exceeded"), CLEAN),
        (attempt(say("My request timed out.")), CLEAN),
        (attempt(say("x"), request_timeout=True), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
