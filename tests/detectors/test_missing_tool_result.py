"""Calls without a result."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, user

from blade.detectors.missing_tool_result import detect
from blade.findings import State

C, D = call("c", {}, "2"), call("d", {}, "3")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("look", {"a": 1}), say("Hm."), call("look", {"a": 2}, "b"), say("Done.")), "look"),
        (
            attempt(
                call("a", {}),
                call("b", {}, "1"),
                user("go on"),
                C[:1] + D[:1] + C[1:] + D[1:],
                call("e", {}, "4"),
            ),
            "a",
        ),
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
        (attempt(call("look", {"a": 1}, "a"), call("look", {"a": 2}, "b")), CLEAN),
        (attempt(call("look", {}, "a"), call("book", {})), CLEAN),
        (attempt(call("a", {}), call("b", {}, "both done"), call("c", {}, "x"), say("Done.")), CLEAN),
        (attempt(call("submit", {}), say("Hm."), call("look", {}, "b")), CLEAN),
        (attempt(call("web_search_call", {}), say("Hm."), call("look", {}, "b")), CLEAN),
        (attempt(call("book", {}), call("look", {})), NOT_APPLICABLE),
        (attempt(say("x")), NOT_APPLICABLE),
        (attempt({"type": "function_call"}, call("look", 1), call("look", None, False)), CLEAN),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
