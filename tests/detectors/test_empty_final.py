"""Rollouts that end without words."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, think, user

from blade.detectors.empty_final import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("")), "blank"),
        (attempt(think("Let me count the cars")), "only thinking"),
        (attempt(say("<think>So the sum is")), "only thinking"),
        (attempt(say("<think>It is 4</think>  ")), "only thinking"),
        (attempt(*[call("look", {}, "3 cars")], say(" ")), "blank"),
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
        (attempt(say("Four.")), CLEAN),
        (attempt(say("<think>hm</think> Four.")), CLEAN),
        (attempt(think("hm"), say("Four."), user("Thanks, bye")), CLEAN),
        (attempt(call("submit_answer", {"a": 4}, "received"), say("")), CLEAN),
        (attempt(call("book", {"seat": 3})), NOT_APPLICABLE),
        (attempt(call("book", {"seat": 3}), say("")), NOT_APPLICABLE),
        (attempt(call("look", {}, "3 cars")), NOT_APPLICABLE),
        (attempt(say(""), model_patch="diff --git a b"), NOT_APPLICABLE),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
