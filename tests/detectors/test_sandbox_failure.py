"""Sandboxes that fail."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.sandbox_failure import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(error="sandbox could not be created"), "error"),
        (attempt(say("x"), container_crashed=True), "container_crashed"),
        (
            attempt(
                ng_agent_observations={
                    "records": [{"kind": "tool_call"}, {"kind": "sandbox", "outcome": "sandbox_error"}]
                }
            ),
            "sandbox_error",
        ),
        (attempt(call("bash", {"command": "ls"}, "Error: sandbox is not running")), "bash"),
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
        (attempt(say("x"), container_crashed=False), CLEAN),
        (attempt(call("bash", {"c": 1}, "Error: sandbox not ready"), call("bash", {"c": 2}, "a.txt")), GUARDED),
        (attempt(call("bash", {}, "the sandbox failed the exam, says the file")), CLEAN),
        (attempt(say("x"), error="KeyError: 'container'"), CLEAN),
        (attempt(say("x"), ng_agent_observations={"records": [{"kind": "sandbox", "outcome": "completed"}]}), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
