"""Conclusions from an empty answer."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.empty_output_accepted import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("search_trips", {"to": "Oslo"}, "[]"), say("Your trip is on Monday.")), "search_trips"),
        (attempt(call("query", {"sql": "select 1"}, {"result": []}), say("The total is 12.")), "query"),
        (attempt(call("python", {"code": "f(3)"}, ""), say("The value is 9.")), "python"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("search_trips", {"to": "Oslo"}, "[]"), say("There are no trips to Oslo.")), CLEAN),
        (attempt(call("search_trips", {"to": "Oslo"}, "[]"), say("I couldn’t see one.")), CLEAN),
        (attempt(call("search_trips", {}, "[]"), call("search_trips", {"a": 1}, "[1]"), say("Monday.")), CLEAN),
        (attempt(call("bash", {"command": "touch x"}, ""), say("Made.")), NOT_APPLICABLE),
        (attempt(call("think", {"thought": "Hm."}, ""), say("Monday.")), NOT_APPLICABLE),
        (attempt(call("send_mail", {"to": "Ann"}, ""), say("Sent.")), NOT_APPLICABLE),
        (attempt(say("Monday.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
