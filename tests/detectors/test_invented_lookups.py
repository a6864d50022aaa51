"""Look-ups that fail because somebody invented what they ask for: neither rule nor ledger may blame the tool."""

from __future__ import annotations

from typing import Any

import pytest
from tests.detectors.attempts import CLEAN, FIRED, Attempt, attempt, call, proved, say, tool, user

from blade.detectors import invented_lookup, tool_keeps_failing, user_invents_lookup
from blade.diagnosis.blame import MODEL, SIMULATED_USER, blame
from blade.extract import invented_lookups
from blade.extract.calls import Call
from blade.extract.prefilter import lowered
from blade.findings import State

NOBODY = "Error: guest not found"
JOHN = call("find_guest", {"first": "John", "last": "Doe"}, NOBODY)
TOLD: dict[str, Any] = {"instruction": "You are Ada Lovelace and want a room."}


def states(made: Attempt) -> tuple[State, ...]:
    rules = (tool_keeps_failing, invented_lookup, user_invents_lookup)
    return tuple(rule.detect(made).state for rule in rules)


def test_a_name_that_nobody_gave_is_the_models() -> None:
    made = attempt(user("I want a room."), JOHN, say("I cannot find you."), prompt="You book rooms.")
    seen = invented_lookup.detect(made)
    assert states(made) == (CLEAN, FIRED, CLEAN)
    assert seen.detail == "calls 'find_guest' with first 'John', which nobody had given"
    assert seen.value == "find_guest"
    assert proved(made, seen)
    assert blame("invented_lookup", invented_lookup.KIND) == MODEL


@pytest.mark.parametrize(
    "shown",
    [
        {"system": "find_guest: `first` is the guest's first name, such as 'John'. Does it all."},
        {"tools": [tool("find_guest", first={"type": "string", "description": "First name, e.g. John"})]},
    ],
)
def test_the_example_of_a_tools_description_is_given_by_nobody(shown: dict[str, Any]) -> None:
    assert states(attempt(user("A room."), JOHN, JOHN, **shown)) == (CLEAN, FIRED, CLEAN)


def test_a_name_that_the_simulated_user_invents_is_the_users() -> None:
    made = attempt(user("I am John Doe."), JOHN, say("I cannot find you."), prompt="You book rooms.", **TOLD)
    assert states(made) == (CLEAN, CLEAN, FIRED)
    assert proved(made, user_invents_lookup.detect(made))
    assert blame("user_invents_lookup", user_invents_lookup.KIND) == SIMULATED_USER


def test_the_title_claims_no_more_than_the_rule_counts() -> None:
    """A value that the user invents and no look-up takes is not counted: the title speaks of look-ups that fail."""
    unused = attempt(user("I am John Doe."), say("Which room?"), prompt="You book rooms.", **TOLD)
    assert states(unused)[2] is not FIRED
    assert user_invents_lookup.TITLE == "failed look-up of a value that the simulated user made up"


@pytest.mark.parametrize(
    "made",
    [
        attempt(user("I am John Doe."), JOHN, prompt="You book rooms."),  # no instruction: the user may be right
        attempt(user("I want a room."), call("find_guest", {"first": "John"}, "Error: no connection")),
        attempt(user("I want a room."), call("find_guest_by_magic", {"first": "John"}, "Error: no such tool")),
        attempt(user("I am Ada."), call("find_guest", {"first": "Ada"}, NOBODY), JOHN),
        attempt(user("I want a room."), call("book_room", {"kind": "suite"}, "Error: suite not found")),
        attempt(user("A room by the sea."), call("find_rooms", {"words": "sea view"}, "Error: no room found")),
        attempt(
            user("Any."),
            call("find_rooms", {"kind": "suite"}, NOBODY),
            tools=[tool("find_rooms", kind={"enum": ["suite"]})],
        ),
    ],
)
def test_whatever_else_fails_is_left_to_the_tool(made: Attempt) -> None:
    assert states(made) == (FIRED, CLEAN, CLEAN)


def test_a_failed_look_up_is_looked_into_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    invention = invented_lookups._invention

    def counted(made: Attempt, one: Call) -> invented_lookups.Invention | None:
        looked.append(one.place)
        return invention(made, one)

    monkeypatch.setattr(invented_lookups, "_invention", counted)
    made = attempt(user("I want a room."), JOHN, JOHN, say("I cannot find you."), prompt="You book rooms.")
    assert invented_lookups.invented_values(made) == {"invented_lookups": 2}
    assert states(made) == (CLEAN, FIRED, CLEAN)
    assert looked == [one.place for one in made.failed]


@pytest.mark.parametrize(
    ("value", "text", "places"),
    [
        ("Kim", "kim, \u212aIM and Kimono; akim KIM", [0, 5, 26]),  # the sign of the kelvin is a k
        ("is", "I\u017f it? This is", [0, 12]),  # and a long s is an s
        ("a a", "A a a", [0]),  # none begins within another
        ("Zo\u00eb", "ZO\u00cb and Zo\u00eb1", [0]),
    ],
)
def test_a_value_is_found_wherever_its_letters_stand_by_themselves(value: str, text: str, places: list[int]) -> None:
    assert list(invented_lookups._Value(value).places(text, lowered(text))) == places
