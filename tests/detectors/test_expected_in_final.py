"""Messages that give the expected answer and score zero."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.expected_in_final import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(say("After some thought, the answer is Ulm."), prompt="Where was he born?", expected_answer="Ulm"),
            "stated",
        ),
        (
            attempt(say("It was Marie Curie who found it."), prompt="Who found radium?", expected_answer="Marie Curie"),
            "mentioned",
        ),
        (
            attempt(
                say(r"So \boxed{17}"),
                prompt=r"Put the answer into \boxed{}.",
                expected_answer="17",
                extracted_answer=None,
            ),
            "stated",
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
        (attempt(say("It was not Marie Curie."), prompt="Who?", expected_answer="Marie Curie"), CLEAN),
        (attempt(say("It was Marie Curie or Lise Meitner."), prompt="Who?", expected_answer="Marie Curie"), CLEAN),
        (attempt(say("There are 1175 of them."), prompt="How many?", expected_answer="117"), CLEAN),
        (attempt(say("The answer is 17."), prompt=r"Put the answer into \boxed{}.", expected_answer="17"), CLEAN),
        (attempt(say("It was Marie Curie."), prompt="Who?", expected_answer="Marie Curie", reward=1.0), NOT_APPLICABLE),
        (attempt(say("It was Marie Curie."), prompt="Who?"), NOT_APPLICABLE),
        (
            attempt(
                say("It was Marie Curie."), prompt="Who?", expected_answer="Marie Curie", extracted_answer="marie curie"
            ),
            CLEAN,
        ),
        (
            attempt(say("The answer is Lise Meitner, not Marie Curie."), prompt="Who?", expected_answer="Marie Curie"),
            CLEAN,
        ),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
