"""Several answers where one is asked."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.hedged_final import detect
from blade.findings import State

WHICH = "Which?\nA: x\nB: y\nC: z"


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("The answer is B or C."), prompt=WHICH, expected_answer="B"), "options"),
        (attempt(say("The answer is A or B."), prompt="Which?\n(A) x\n(B) y"), "options"),
        (attempt(say(r"\boxed{A}, or rather \boxed{B}"), prompt=WHICH), "options"),
        (attempt(say("The answer is 3. Counted anew, the answer is 4."), expected_answer=4), "numbers"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("The answer is B."), prompt=WHICH, expected_answer="B"), CLEAN),
        (attempt(say(r"The answer is B: \boxed{B}"), prompt=WHICH), CLEAN),
        (attempt(say("The answer is 3.0, that is, \\boxed{3}"), expected_answer=3), CLEAN),
        (attempt(say("The answer is B or C."), prompt="Choose all that apply. " + WHICH), NOT_APPLICABLE),
        (attempt(say("The answer is 3 or 4.")), NOT_APPLICABLE),
        (attempt(prompt=WHICH), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
