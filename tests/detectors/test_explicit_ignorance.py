"""Answers that say they do not know."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.explicit_ignorance import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("I don't know who that was.")), "words"),
        (attempt(say("I have no idea, I am afraid.")), "words"),
        (attempt(say(r"Hard to say. \boxed{[IDK]}")), "answer"),
        (attempt(say("x"), verifier={"abstained": True}), "verdict"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("The answer is 5. I don't know a better way.")), CLEAN),
        (attempt(say("We know that 5 is prime.")), CLEAN),
        (attempt(say("x"), abstention=True), CLEAN),
        (attempt(call("look", {}, "none"), say("I don't know your name.")), CLEAN),
        (attempt(say("words " * 200 + "I don't know.")), CLEAN),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
