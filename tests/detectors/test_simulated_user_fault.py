"""Simulated users that go wrong."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import (
    CLEAN,
    FIRED,
    NOT_APPLICABLE,
    Attempt,
    attempt,
    proved,
    say,
    user,
)

from blade.detectors.simulated_user_fault import detect
from blade.findings import State

HELLO = say("Hello, what do you need?")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(HELLO, user("A seat."), num_user_failures=2), "num_user_failures"),
        (attempt(HELLO, user("Of course. How can I help you today?")), "out of part"),
        (attempt(HELLO, user("According to my instructions I want a refund.")), "out of part"),
        *(
            (attempt(HELLO, user(f"Well, {words}.")), "out of part")
            for words in (
                *("as an AI language model I do", "As a simulated customer I do", "as a role-playing user I do"),
                *("I am the user simulator", "my scenario instructions end here", "according to my script I go"),
                *("My persona is a clerk", "how may I assist you", "is there anything else I can do"),
                *("thank you for contacting us", "Thank you for calling our shop", "thank you for reaching out to us"),
            )
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
        (attempt(HELLO, user("A seat by the window, please.")), CLEAN),
        (attempt(HELLO, user("A seat."), num_user_failures=0), CLEAN),
        (attempt(HELLO, user("Can you help me? Follow the instructions on my ticket.")), CLEAN),
        (attempt(say("How can I help you?"), user("A seat.")), CLEAN),
        (attempt(HELLO, num_agent_failures=3), NOT_APPLICABLE),
        (attempt(HELLO), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
