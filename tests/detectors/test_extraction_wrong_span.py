"""Answers read from the wrong place."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.extraction_wrong_span import detect
from blade.findings import State

PIECE = "a piece of the answer"
WORDS = "Let us weigh this up with care, and with patience. " * 6


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(say(WORDS + "So the answer is 24"), extracted_answer=WORDS + "So the answer is 24"),
            "the whole message",
        ),
        (attempt(say(r"First \boxed{3}. No: \boxed{8}"), extracted_answer="3"), "an earlier answer"),
        (
            attempt(say(r"First \boxed{3}. No: \boxed{8}"), extracted_answer="3", expected_answer="8"),
            "an earlier answer",
        ),
        (
            attempt(say(r"So \boxed{\dfrac{3}{8}}"), extracted_answer=["{3}{8}"], expected_answer="3/8"),
            "a piece of the answer",
        ),
        (attempt(say("Final answer: 81"), extracted_answer="77"), "words that are not in the message"),
        (attempt(say("Final answer: Prof. Ada Oak"), extracted_answer="Prof", expected_answer="Ada Oak"), PIECE),
        (attempt(say("Final answer: Ada J. Oak"), extracted_answer="Ada J", expected_answer="Ada Oak"), PIECE),
        (attempt(say("Final answer: St. Oak"), extracted_answer="St", expected_answer="St Oak"), PIECE),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("Final answer: 81"), extracted_answer="81"), CLEAN),
        (attempt(say(WORDS), extracted_answer=WORDS), CLEAN),
        (attempt(say(r"\boxed{\infty}"), extracted_answer="oo"), CLEAN),
        (attempt(say("Answer: Rome"), prompt="Which?\nA: Rome\nB: Ulm", extracted_answer="A"), CLEAN),
        (
            attempt(say(WORDS + "So the answer is 24"), extracted_answer=WORDS + "So the answer is 24", reward=1.0),
            NOT_APPLICABLE,
        ),
        (attempt(say(r"So \boxed{3} and \boxed{8}"), extracted_answer="3", expected_answer="5"), CLEAN),
        (attempt(say(r"So \boxed{\dfrac{3}{8}}"), extracted_answer="{3}{8}", expected_answer="5/8"), CLEAN),
        (attempt(say("Final answer: Prof. Ada Elm"), extracted_answer="Prof", expected_answer="Ada Oak"), CLEAN),
        (attempt(say("Final answer: Oak. It is old."), extracted_answer="Oak", expected_answer="Elm"), CLEAN),
        (attempt(say("Final answer: 81"), extracted_answer=None), NOT_APPLICABLE),
        (attempt(say("Final answer: 81")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
