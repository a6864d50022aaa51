"""Loops that spend the limit."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import (
    CLEAN,
    FIRED,
    NOT_APPLICABLE,
    Attempt,
    attempt,
    proved,
    say,
    think,
)

from blade.detectors.text_loop_to_the_limit import detect
from blade.findings import State

ROUND = "the order of the two parts matters here so we look at both again "
CUT = {"incomplete_details": {"reason": "max_output_tokens"}}


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("We begin. " + ROUND * 8), response=CUT), ""),
        (attempt(think("Well. " + ROUND * 8 + "the order of"), response={"status": "incomplete"}), ""),
        (attempt(say(ROUND * 9), response={"usage": {"output_tokens": 90}, "max_output_tokens": 90}), ""),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say(ROUND * 8 + "Then all is clear. " + " ".join(f"w{n}" for n in range(60))), response=CUT), CLEAN),
        (attempt(say("A long and sober answer that is cut"), response=CUT), CLEAN),
        (attempt(say(ROUND * 8)), NOT_APPLICABLE),
        (attempt(say(ROUND * 8), response={"usage": {"output_tokens": 80}, "max_output_tokens": 90}), NOT_APPLICABLE),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
