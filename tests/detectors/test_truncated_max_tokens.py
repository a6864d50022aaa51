"""Answers cut off at the token limit."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.truncated_max_tokens import detect
from blade.findings import State


def used(tokens: int, *said: str, status: str | None = None) -> Attempt:
    """A rollout that was allowed 512 tokens."""
    made = attempt(
        *[say(text) for text in said or ("and",)], response={"usage": {"output_tokens": tokens}, "status": status}
    )
    made.row["responses_create_params"]["max_output_tokens"] = 512
    return made


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("and so"), response={"incomplete_details": {"reason": "max_output_tokens"}}), "max_output_tokens"),
        (attempt(say("and so"), finish_reason="length"), "length"),
        (attempt(say("and"), response={"status": "incomplete"}), "incomplete"),
        (used(512), "usage"),
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
        (attempt(say("Four.")), CLEAN),
        (attempt(say("Four."), judge={"finish_reason": "length"}), CLEAN),
        (attempt(say("Four."), judge_finish_reason="length"), CLEAN),
        (attempt(say("no"), response={"incomplete_details": {"reason": "content_filter"}}), CLEAN),
        (used(511), CLEAN),
        (used(900), CLEAN),
        (used(512, status="completed"), CLEAN),
        (used(512, "and", "then"), CLEAN),
        (attempt(say("The length limit is what matters.")), CLEAN),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
