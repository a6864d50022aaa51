"""Words that go in circles."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import (
    CLEAN,
    FIRED,
    NOT_APPLICABLE,
    Attempt,
    attempt,
    call,
    proved,
    say,
    think,
)

from blade.detectors.text_loop import detect
from blade.findings import State

ROUND = "the order of the two parts matters here so we look at both again "
REPORT = "I still see the same message from the build, so the next thing is to look into the settings again."


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("We begin. " + ROUND * 8)), "words"),
        (attempt(think("Hm. " + (ROUND + "and then once more ") * 7), say("12")), "words"),
        (attempt(*[item for n in range(3) for item in (say(REPORT), *call("build", {"n": n}, "x"))]), "messages"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say(ROUND * 3)), CLEAN),
        (attempt(say("| a | b | c | d | e | f |\n" * 20)), CLEAN),
        (attempt(say("1 2 3 4 5 6 7 8 9 10 11 12 13 " * 20)), CLEAN),
        (
            attempt(say(" ".join(f"Item {n} is a part of the list that we made for case {n}." for n in range(30)))),
            CLEAN,
        ),
        (attempt(say("Next."), say("Next."), say("Next.")), CLEAN),
        (attempt(say(REPORT), say(REPORT)), CLEAN),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
