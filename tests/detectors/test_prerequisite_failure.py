"""Tools that were called too early."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.prerequisite_failure import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("click", {"x": 1}, "Error: no active browser session"), say("Clicked.")), "click"),
        (attempt(call("move", {"to": "e4"}, "You must call new_game first.")), "move"),
        (attempt(call("query", {"q": 1}, {"error": "Database is not initialized"})), "query"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("click", {"x": 1}, "clicked")), CLEAN),
        (attempt(call("read", {}, "The first thing is to wait. " * 30)), CLEAN),
        (attempt(call("pay", {"sum": 1}, "Error: card declined")), CLEAN),
        (attempt(call("move", {}, "You must start a game first."), call("move", {"a": 1}, "moved")), GUARDED),
        (attempt(say("You must log in first.")), NOT_APPLICABLE),
        (attempt(call("click", {"x": 1})), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
