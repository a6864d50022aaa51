"""Prompts that give the answer away."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.prompt_leak import detect
from blade.findings import State

PROOF = "Take any two numbers of the set; their sum is even, so the claim holds for all pairs of it and we are done."


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), prompt="How many?\nAnswer: 42 geese", expected_answer="42 geese"), "stated"),
        (attempt(say("x"), prompt="Prove it.\nHint follows. " + PROOF, reference_solution=PROOF), "reference_solution"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), prompt="How many geese are there?", expected_answer="42 geese"), CLEAN),
        (attempt(say("x"), prompt="Give it like this example. Answer: 42 geese", expected_answer="42 geese"), CLEAN),
        (attempt(say("x"), prompt="1+1?\nAnswer: 2\n2+2?\nAnswer: 4\n3+1?", expected_answer="4"), CLEAN),
        (attempt(say("x"), prompt="Repeat this passage: " + PROOF, reference=PROOF), CLEAN),
        (attempt(say("x"), prompt="Which?\nA: 42 geese\nB: none", expected_answer="42 geese"), CLEAN),
        (attempt(say("x"), prompt="How many?\nAnswer: 42"), NOT_APPLICABLE),
        (attempt(say("x"), prompt="long " * 3000 + "\nAnswer: 42 geese", expected_answer="42 geese"), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
