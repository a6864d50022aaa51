"""Endpoints that fail."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.provider_error import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(error="Error code: 429 - rate limit exceeded"), "error"),
        (attempt(response={"status": "failed"}), "failed"),
        (attempt(response={"error": {"code": "server_error", "message": "overloaded"}}), "overloaded"),
        (attempt(say("Error: 503 Service Unavailable")), "message"),
        (
            attempt(ng_model_call_capture={"calls": [{"error_category": None}, {"error_category": "rate_limit"}]}),
            "rate_limit",
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
        (attempt(say("Four.")), CLEAN),
        (attempt(say("HTTP 503 means that the service is unavailable."), prompt="What is HTTP 503?"), CLEAN),
        (attempt(say("x"), error_message="AssertionError: expected 503, found 200"), CLEAN),
        (attempt(call("get", {}, "Error: 502 Bad Gateway"), call("get", {}, "page"), say("Done.")), CLEAN),
        (attempt(say("x"), judge_error="rate limit"), CLEAN),
        (attempt(say("x"), error=None), CLEAN),
        (Attempt({}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
