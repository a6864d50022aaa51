"""Rollouts without a response."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.no_response import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(response={"output": []}), "empty"),
        (Attempt({"response": None, "reward": 0.0}), "absent"),
        (attempt(response={"output": None}, max_turns=9), "empty"),
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
        (attempt(call("look", {}, "a")), CLEAN),
        (attempt(mask_sample=True), NOT_APPLICABLE),
        (attempt(reward=1.0), NOT_APPLICABLE),
        (attempt(response={"usage": {"input_tokens": 3, "output_tokens": 40}}), NOT_APPLICABLE),
        (attempt(info={"turns_taken": 4}), NOT_APPLICABLE),
        (attempt(model_patch="diff --git a b"), NOT_APPLICABLE),
        (attempt(verifier={"results": {"opens": "failed", "closes": "failed"}}), NOT_APPLICABLE),
        (attempt(notes={"transcript_available": False}), NOT_APPLICABLE),
        (attempt(history=[{"role": "model", "content": "Four."}]), NOT_APPLICABLE),
        (Attempt({"reward": 0.0, "steps": [{"thought": "I add.", "action": "add"}]}), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
