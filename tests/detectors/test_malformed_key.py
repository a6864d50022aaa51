"""Keys that no answer can meet."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.malformed_key import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), expected_answer=" ", extracted_answer="5"), "empty"),
        (attempt(say("x"), expected_answer="nan"), "no value"),
        (attempt(say("x"), ground_truth="<p>42</p>"), "markup"),
        (attempt(say("x"), expected_answer=r"\frac{1}{2"), "cut in a bracket"),
        (attempt(say("x"), prompt="Which?\nA: Rome\nB: Ulm", expected_answer="E"), "none of the options"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), expected_answer="42"), CLEAN),
        (attempt(say("x"), expected_answer="", reference_solution="Count them.", extracted_answer="5"), CLEAN),
        (attempt(say("x"), expected_answer=""), CLEAN),
        (attempt(say("x"), prompt="Which tag? <p> or <b>", expected_answer="<p>"), CLEAN),
        (attempt(say("x"), prompt="Which?\nA: Rome\nB: Ulm", expected_answer="B"), CLEAN),
        (attempt(say("x")), NOT_APPLICABLE),
        (attempt(say("x"), expected_answer=None), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
