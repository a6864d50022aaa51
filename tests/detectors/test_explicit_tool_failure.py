"""Failed calls that were not made good."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.explicit_tool_failure import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("pay", {"sum": 5}, "Error: card 1234 declined"), say("Paid.")), "error: card # declined"),
        (attempt(call("run", {"code": "x"}, "Traceback (most recent call last)\n  x\nNameError: x")), "NameError"),
        (attempt(call("pay", {}, {"is_error": True, "message": "No funds"})), "no funds"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("pay", {"sum": 5}, "paid")), CLEAN),
        (attempt(call("read", {"path": "a.log"}, "12:00 all well, no error seen")), CLEAN),
        (attempt(call("pay", {"sum": 5}, "Error: busy"), call("pay", {"sum": 5}, "paid")), GUARDED),
        (attempt(call("pay", {"sum": 5})), NOT_APPLICABLE),
        (attempt(say("Error: I failed.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
