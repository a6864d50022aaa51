"""Final answers that contradict the reasoning."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say, think

from blade.detectors.self_contradiction import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(think("So the answer is 12."), say("The answer is 14.")), ""),
        (
            attempt(say(r"<think>Hence the answer is B.</think>Clearly \boxed{C}"), prompt="Which?\nA: x\nB: y\nC: z"),
            "",
        ),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(think("So the answer is 12."), say("The answer is 12.0")), CLEAN),
        (attempt(think("So the answer is y."), say("The answer is B."), prompt="Which?\nA: x\nB: y"), CLEAN),
        (attempt(think("I count them."), say("The answer is 14.")), NOT_APPLICABLE),
        (attempt(say("The answer is 14.")), NOT_APPLICABLE),
        (attempt(think("So the answer is 12."), say("There you go.")), NOT_APPLICABLE),
        (attempt(think("So the answer is 12 or 13."), say("The answer is 14.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
