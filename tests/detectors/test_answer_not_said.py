"""Expected answers that no message holds."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, user

from blade.detectors.answer_not_said import detect
from blade.findings import State

KEY = {"expected_actions": [{"name": "book_room", "arguments": {"room": "blue"}}], "expected_outputs": ["10", "12.50"]}
BOOK = call("book_room", {"room": "blue"}, "booked")
ASKED = user("How many rooms are open right now?")
WRONG = "We have 12 rooms open right now."


def test_what_is_said_in_its_place_is_quoted() -> None:
    made = attempt(BOOK, ASKED, say(WRONG), say("It costs 12.50."), verifier=KEY)
    seen = detect(made)
    assert (seen.state, seen.value, seen.detail) == (FIRED, "10", "never says the expected '10'")
    assert [cite.quote for cite in seen.cites] == [WRONG]
    assert proved(made, seen)


def test_without_such_words_the_last_message_is_quoted() -> None:
    made = attempt(BOOK, say("10 rooms."), say("Goodbye."), verifier=KEY)
    assert detect(made).detail == "never says the expected '12.50'"
    assert [cite.quote for cite in detect(made).cites] == ["Goodbye."]


def test_who_only_calls_tools_has_said_nothing() -> None:
    made = attempt(BOOK, call("list_rooms", {"floor": "2"}, "10 rooms"), verifier=KEY)
    seen = detect(made)
    assert (seen.state, seen.detail) == (FIRED, "never says the expected '10'")
    assert [cite.quote for cite in seen.cites] == ['{"floor": "2"}']
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(BOOK, say("10 rooms, 12.50 each."), verifier=KEY), CLEAN),
        (attempt(BOOK, say("Done."), verifier=KEY, reward=1.0), CLEAN),
        (attempt(call("book_room", {"room": "blue"}), verifier=KEY), NOT_APPLICABLE),
        (attempt(BOOK, say("Done.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
