"""Rollouts that the harness gives up."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.harness_failure import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(_ng_failure_class="transient"), "transient"),
        (attempt(response={"id": "task-7-failed"}), "task-7-failed"),
        (attempt(say("x"), agent_crashed=True), "agent_crashed"),
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
        (attempt(say("x")), CLEAN),
        (attempt(_ng_failure_class="judge_failed"), CLEAN),
        (attempt(_ng_failure_class="timeout_exceeded"), CLEAN),
        (attempt(say("x"), agent_crashed=False), CLEAN),
        (attempt(say("x"), status="failed"), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
