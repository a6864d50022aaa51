"""Tools that cannot be reached."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.tool_transport_error import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("fetch", {}, "Error: connection refused")), "fetch"),
        (attempt(call("search", {}, {"error": "502 Bad Gateway"}), say("No luck.")), "search"),
        (attempt(call("bash", {}, "curl: could not connect to the host\nexit code: 7")), "bash"),
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
        (attempt(call("fetch", {"u": 1}, "Error: connection reset"), call("fetch", {"u": 2}, "a page")), GUARDED),
        (attempt(call("fetch", {}, "Error: 404 not found")), CLEAN),
        (attempt(call("read", {}, "A guide to HTTP 503 and connection refused errors")), CLEAN),
        (attempt(call("book", {}, "Error: expected 503 but got 200")), CLEAN),
        (attempt(say("connection refused")), NOT_APPLICABLE),
        (attempt(call("fetch", {})), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
