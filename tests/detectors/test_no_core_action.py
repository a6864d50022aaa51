"""No tool is called."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, think, tool

from blade.detectors.no_core_action import detect
from blade.findings import State

BOOK = tool("book", seat="integer")
TALK = [
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "?"},
]
UNDER_WAY = attempt(say("42")).row | {"responses_create_params": {"input": TALK, "tools": [BOOK]}}


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("It is booked."), tools=[BOOK]), ""),
        (attempt(think("Hm."), say("42"), tools=[BOOK, tool("look")]), ""),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("book", {"seat": 1}, "ok"), say("Done."), tools=[BOOK]), CLEAN),
        (attempt(call("book", {"seat": 1}), say("Done."), tools=[BOOK]), CLEAN),
        (attempt(say("[book(seat=1)]"), tools=[BOOK]), NOT_APPLICABLE),
        (attempt(say("42")), NOT_APPLICABLE),
        (Attempt(UNDER_WAY), NOT_APPLICABLE),
        (attempt(think("Hm."), tools=[BOOK]), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
