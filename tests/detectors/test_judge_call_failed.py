"""Judges that give no verdict."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.judge_call_failed import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), invalid_judge_response=True), "invalid_judge_response"),
        (attempt(say("x"), judge_error="connection refused"), "judge_error"),
        (attempt(say("x"), evaluation_completed=False), "evaluation_completed"),
        (attempt(say("x"), judge_output="Well, it depends.", verdict=None), "verdict"),
        (attempt(_ng_failure_class="judge_failed"), "judge_failed"),
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
        (attempt(say("x"), judge_output="It is wrong.", verdict="incorrect"), CLEAN),
        (attempt(say("x"), judge_output="No.", judge_points=None, judge_correct=0.0), CLEAN),
        (attempt(say("x"), failure_reason="judge_evaluation_failed"), CLEAN),
        (attempt(say("x"), judge_error=None, evaluation_completed=True), CLEAN),
        (attempt(say("x"), test_error="NameError: name 'f' is not defined", code="f()"), CLEAN),
        (attempt(say("x"), eval_timed_out=True), CLEAN),
        (attempt(say("x")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
