"""Rollouts stopped at the turn limit."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.turn_limit import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), truncated=True), "truncated"),
        (attempt(say("x"), finished_naturally=False), "finished_naturally"),
        (attempt(say("x"), stop_reason="max_turns"), "max_turns"),
        (attempt(call("look", {}, "a"), stop="max_tool_calls", response={"status": "incomplete"}), "max_tool_calls"),
        (attempt(call("look", {}, "a"), session={"ended_by": "step_limit"}), "step_limit"),
        (attempt(call("look", {}, "a"), num_turns=9, max_turns=9), "num_turns"),
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
        (attempt(say("x"), truncated=False), CLEAN),
        (attempt(say("x"), num_turns=3, max_turns=9), CLEAN),
        (attempt(call("submit", {}, "ok"), num_turns=9, max_turns=9), GUARDED),
        (attempt(say("x"), num_turns=9, max_turns=9, finished_naturally=True), GUARDED),
        (attempt(say("x"), truncated=True, response={"incomplete_details": {"reason": "max_output_tokens"}}), CLEAN),
        (attempt(say("The turn limit is 9.")), CLEAN),
        (attempt(say("x"), stop="Oak Street"), CLEAN),
        (attempt(say("x"), ended_by="agent"), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
