"""Answers that the verifier cut inside a bracket."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.extraction_unbalanced import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say(r"Hence \boxed{\sqrt{5}}."), extracted_answer=r"\sqrt{5"), "open bracket"),
        (attempt(say(r"Hence \boxed{\frac{7}{9}}."), extracted_answer=r"\frac{7"), "open bracket"),
        (attempt(say("Answer: f(x, g(y))"), extracted_answer="f(x, g(y)"), "open bracket"),
        (attempt(say(r"Hence \boxed{\text{B}}"), extracted_answer=r"\\text{B"), "open bracket"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say(r"Hence \boxed{\sqrt{5}}."), extracted_answer=r"\sqrt{5}"), CLEAN),
        (attempt(say("The set is [0, 1)."), extracted_answer="[0, 1)"), CLEAN),
        (attempt(say("It stops at f(x"), extracted_answer="f(x"), CLEAN),
        (attempt(say("Hence 5."), extracted_answer=None), NOT_APPLICABLE),
        (attempt(extracted_answer="f(x"), NOT_APPLICABLE),
        (attempt(say("I smile :) at 3"), extracted_answer="3"), CLEAN),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
