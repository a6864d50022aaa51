"""Answers that the verifier cannot read."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.parse_failed import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), parse_failed=True), "parse_failed"),
        (attempt(say("It is four."), extracted_answer=None), "extracted_answer"),
        (attempt(say("x"), failure_reason="model_output_invalid"), "model_output_invalid"),
        (attempt(say("B"), verifier={"predicted_label": ""}), "verifier.predicted_label"),
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
        (attempt(say("x"), parse_failed=False, extracted_answer="4"), CLEAN),
        (attempt(say("It is four."), extracted_answer="4"), CLEAN),
        (attempt(say("It is four."), extracted_answer=None, reward=1.0), CLEAN),
        (attempt(say(""), extracted_answer=None), NOT_APPLICABLE),
        (attempt(say("I do not know."), extracted_answer=None, abstention=True), NOT_APPLICABLE),
        (attempt(say("x")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
