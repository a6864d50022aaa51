"""Rollouts that end on a tool's output."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.ends_on_tool_output import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("look", {"a": 1}, "x"), call("look", {"a": 1}, "x")), "look"),
        (attempt(call("bash", {"c": "ls"}, "a"), say("Next."), call("bash", {"c": "cat a"}, "text")), "bash"),
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
        (attempt(call("look", {}, "x"), call("look", {"a": 1}, "x"), say("Done.")), CLEAN),
        (attempt(call("look", {}, "x"), call("submit_answer", {"a": 1}, "ok")), CLEAN),
        (attempt(call("look", {}, "x"), call("bash", {"c": "echo COMPLETE_TASK"}, "ok")), CLEAN),
        (attempt(call("click", {"x": 3}, "clicked")), CLEAN),
        (attempt(call("move", {"to": 1}, "ok"), call("move", {"to": 2}, {"done": True})), CLEAN),
        (attempt(call("look", {}, "x"), call("run", {"a": 1}, "y"), num_turns=2, max_turns=9), CLEAN),
        (attempt(call("look", {}, "x"), call("transfer_to_human", {}, "moved")), CLEAN),
        (attempt(call("look", {}, "x"), call("book", {})), CLEAN),
        (attempt(say("x")), NOT_APPLICABLE),
        (attempt(call("look", {})), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
