"""Conversations that outgrow the window."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.context_overflow import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(error="This model's maximum context length is 8192 tokens"), "error"),
        (attempt(say("x"), context_length_exceeded_error=1), "context_length_exceeded_error"),
        (
            attempt(response={"error": {"code": "bad", "message": "prompt is too long: 9000 tokens > 8000 maximum"}}),
            "response.error",
        ),
        (attempt(say("Error: input tokens exceed the maximum context window of 4096")), "message"),
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
        (attempt(say("Four.")), CLEAN),
        (attempt(say("A context window of 4096 tokens is the maximum context length of older models.")), CLEAN),
        (attempt(say("x"), context_length_exceeded_error=0), CLEAN),
        (attempt(say("x"), error_message="Wrong answer: context length expected 3 but got 4"), CLEAN),
        (attempt(say("x"), error="connection refused"), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
