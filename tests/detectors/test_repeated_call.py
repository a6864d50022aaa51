"""The same call with the same answer, and then something else."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.repeated_call import detect
from blade.findings import State

LOOK = call("look_up", {"name": "Ann"}, "nobody of that name")
BOOK = call("book", {"seat": 1}, "ok")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(LOOK, LOOK, LOOK, say("There is no Ann.")), "look_up"),
        (attempt(LOOK, call("read", {}, "x"), LOOK, say("Hm."), LOOK, BOOK, say("Done.")), "look_up"),
        (attempt(*[BOOK] * 4, say("Booked.")), "book"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(LOOK, LOOK, say("There is no Ann.")), CLEAN),
        (attempt(LOOK, BOOK, LOOK, call("pay", {}, "ok"), LOOK, say("Done.")), CLEAN),
        (attempt(*[call("roll", {}, f"you rolled {n}", f"c{n}") for n in range(4)], say("Done.")), CLEAN),
        (attempt(*[call("wait", {}, "not yet")] * 5, say("Done.")), CLEAN),
        (attempt(LOOK, LOOK, LOOK), CLEAN),
        (attempt(say("Hello.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
