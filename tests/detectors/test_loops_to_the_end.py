"""The same call until the rollout ends."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.loops_to_the_end import detect
from blade.findings import State

LOOK = call("look_up", {"name": "Ann"}, "nobody of that name")
BOOK = call("book", {"seat": 1}, "ok")


ROUND = [call("sh", {"cmd": name}, f"no {name}") for name in ("jar", "lid", "cap")] * 2
"""Three calls in turn, twice: no call stands there three times in a row."""


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(LOOK, LOOK, LOOK), "look_up"),
        (attempt(BOOK, *[LOOK, call("read", {}, "x")] * 3, LOOK), "look_up"),
        (attempt(*[call("sh", {"cmd": "ls"}, "Error: no")] * 6), "sh"),
        (attempt(*ROUND, *ROUND[:1]), "sh"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(LOOK, LOOK, LOOK, say("There is no Ann.")), CLEAN),
        (attempt(LOOK, LOOK, LOOK, BOOK), CLEAN),
        (attempt(LOOK, LOOK), CLEAN),
        (attempt(LOOK, *[call("read", {"n": n}, str(n)) for n in range(9)], LOOK, LOOK), CLEAN),
        (attempt(*[call("poll_job", {}, "running")] * 6), CLEAN),
        (attempt(*ROUND, call("sh", {"cmd": "box"}, "no box")), CLEAN),
        (attempt(*ROUND, *ROUND[:1], say("There is none.")), CLEAN),
        (attempt(say("Hello.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
