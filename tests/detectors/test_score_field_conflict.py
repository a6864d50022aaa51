"""Rewards that contradict their own fields."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.score_field_conflict import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), resolved=True), "resolved"),
        (attempt(say("x"), reward=1.0, verifier={"is_correct": False}), "verifier.is_correct"),
        (attempt(say("x"), num_passed=4, num_total=4), "num_passed"),
        (attempt(say("x"), reward=0.9999999999999998), "almost one"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), resolved=False), CLEAN),
        (attempt(say("x"), reward=1.0, passed=True), CLEAN),
        (attempt(say("x"), new_passed=0, new_total=2, old_passed=9, old_total=9), CLEAN),
        (attempt(say("x"), num_passed=3, num_total=4), CLEAN),
        (attempt(say("x"), passed=True, resolved=False), CLEAN),
        (attempt(say("x"), reward=0.4, passed=False), CLEAN),
        (attempt(say("x")), NOT_APPLICABLE),
        (attempt(say("x"), reward=None, resolved=True), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
