"""Memory and disk."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.out_of_memory_or_disk import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), oom_killed=True), "oom_killed"),
        (attempt(say("x"), container_exit_code=137), "137"),
        (attempt(call("bash", {}, "write: No space left on device\nexit code: 1")), "bash"),
        (attempt(ng_agent_observations={"records": [{"kind": "sandbox", "outcome": "oom"}]}), "oom"),
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
        (attempt(say("x"), oom_killed=False, container_exit_code=0), CLEAN),
        (attempt(call("bash", {"c": 1}, "Error: out of memory"), call("bash", {"c": 2}, "done")), GUARDED),
        (attempt(call("read", {}, "How to handle out of memory errors")), CLEAN),
        (attempt(say("x"), error_message="AssertionError: out of memory expected"), CLEAN),
        (attempt(say("We are out of memory.")), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
