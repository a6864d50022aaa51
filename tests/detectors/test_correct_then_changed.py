"""Right answers that were given up."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say, think

from blade.detectors.correct_then_changed import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(think("The answer is 12. Or is it?"), say("The answer is 14."), expected_answer="12"), ""),
        (attempt(say(r"A draft: \boxed{B}"), say(r"\boxed{A}"), prompt="Which?\nA: x\nB: y", expected_answer="B"), ""),
        (attempt(think("Answer: Ulm"), say("Rome it is"), expected_answer="Ulm", extracted_answer="Rome"), ""),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(think("The answer is 12."), say("The answer is 12."), expected_answer="12"), CLEAN),
        (attempt(think("Some say 12."), say("The answer is 14."), expected_answer="12"), CLEAN),
        (attempt(think("Maybe the answer is 12 or 13."), say("The answer is 14."), expected_answer="12"), CLEAN),
        (attempt(think("The answer is 12."), say("The answer is 14.")), NOT_APPLICABLE),
        (attempt(think("The answer is 12."), expected_answer="12"), NOT_APPLICABLE),
        (attempt(think("The answer is 12."), say("Well."), expected_answer="12"), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
