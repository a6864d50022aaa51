"""Answers that equal the key and score zero."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.equal_but_zero import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("It is Paris."), expected_answer="Paris", extracted_answer="paris."), "same after normalisation"),
        (attempt(say("x"), ground_truth=r"\(\frac{3}{4}\)", extracted_answer="3/4"), "same after normalisation"),
        (attempt(say("x"), expected_answer="1,200", extracted_answer="1200.0"), "same after normalisation"),
        (attempt(say("x"), verifier={"expected": "42", "extracted": "42"}), "same text"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), expected_answer="Paris", extracted_answer="Rome"), CLEAN),
        (attempt(say("x"), expected_answer="Paris", extracted_answer="paris", reward=1.0), NOT_APPLICABLE),
        (attempt(say("x"), expected_answer="Paris", extracted_answer=None), NOT_APPLICABLE),
        (attempt(say("x"), extracted_answer="paris"), NOT_APPLICABLE),
        (attempt(say("x"), prompt="Answer in upper case.", expected_answer="PARIS", extracted_answer="paris"), CLEAN),
        (attempt(say("x"), expected_answer="12 cm", extracted_answer="12 m"), CLEAN),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
