"""The same failing call again and again."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.identical_failed_call import detect
from blade.findings import State

BAD = call("pay", {"sum": 5, "to": "Ann"}, "Error: no such account")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(BAD, BAD, BAD, say("It is paid.")), "pay"),
        (attempt(BAD, call("look", {}, "fine"), BAD, say("Again."), BAD, BAD), "pay"),
        (attempt(*[call("sql", {"q": "select"}, {"error": "near select"})] * 4), "sql"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(BAD, BAD, say("It does not work.")), CLEAN),
        (attempt(*[call("get_status", {"job": 1}, "Error: not ready")] * 5), CLEAN),
        (attempt(*[call("look", {"at": 1}, "nothing")] * 3), CLEAN),
        (attempt(BAD, BAD, BAD, call("pay", {"sum": 5, "to": "Bob"}, "paid")), GUARDED),
        (attempt(say("Hello.")), NOT_APPLICABLE),
        (attempt(call("pay", {"sum": 5})), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
