"""Answers that rest on assumptions."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import (
    CLEAN,
    FIRED,
    NOT_APPLICABLE,
    Attempt,
    attempt,
    call,
    proved,
    say,
    tool,
)

from blade.detectors.assumption_marker import detect
from blade.findings import State

LOOK = tool("look_up")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("I assumed that the meeting is on Monday, so it is free."), tools=[LOOK]), "assum"),
        (attempt(call("look_up", {}, "none"), say("Here is a table with placeholder values for now.")), "placeholder"),
        (attempt(say("The population, from memory, is two million."), tools=[LOOK]), "memory"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("The meeting is on Monday."), tools=[LOOK]), CLEAN),
        (attempt(say("I assume $x > 0$ without loss of generality."), tools=[LOOK]), CLEAN),
        (
            attempt(
                say("This is the hypothetical case you asked for."), tools=[LOOK], prompt="Take a hypothetical case."
            ),
            CLEAN,
        ),
        (attempt(say('```html\n<input placeholder data="x">\n```\nReady.'), tools=[LOOK]), CLEAN),
        (attempt(say("I assumed it is Monday.")), NOT_APPLICABLE),
        (attempt(say("I assumed it."), call("look_up", {}, "x"), tools=[LOOK]), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
