"""Wrong answers."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.wrong_answer import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), expected_answer="Ulm", extracted_answer="Rome"), ""),
        (attempt(say("x"), verifier={"expected": "3", "extracted": "4"}), ""),
        (attempt(say("The answer is Rome."), expected_answer="Ulm", extracted_answer=None), ""),
        (attempt(say("<answer>12</answer>"), extracted_answer="12"), ""),
        (attempt(say("<answer>12</answer>"), extracted_answer="12", reward=0.25), ""),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), expected_answer="Ulm", extracted_answer="ulm"), CLEAN),
        (attempt(say("The answer is Ulm."), expected_answer="Ulm", extracted_answer="answer"), CLEAN),
        (attempt(say("I stop here"), expected_answer="Ulm", extracted_answer=None), CLEAN),
        (attempt(say("The answer is Rome. The answer is Bern."), expected_answer="Ulm", extracted_answer=None), CLEAN),
        (attempt(say("x"), expected_answer="Ulm", extracted_answer="Rome", reward=1.0), NOT_APPLICABLE),
        (attempt(say("long words"), extracted_answer="long words"), NOT_APPLICABLE),
        (attempt(say("x")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
