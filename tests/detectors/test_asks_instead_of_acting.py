"""A question where an action was due."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import (
    CLEAN,
    FIRED,
    GUARDED,
    NOT_APPLICABLE,
    Attempt,
    attempt,
    call,
    proved,
    say,
    tool,
    user,
)

from blade.detectors.asks_instead_of_acting import detect
from blade.findings import State

TOOLS = [tool("delete_event", event_id="string"), tool("find_events", query="string")]
FOUND = call("find_events", {"query": "lunch"}, [{"id": "e1"}, {"id": "e2"}])
GONE = call("delete_event", {"event_id": "e1"}, "deleted")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("Which of the two lunches do you mean?"), tools=TOOLS), "question"),
        (attempt(FOUND, say("I found two. Shall I go ahead and delete both?"), tools=TOOLS), "question"),
        (attempt(FOUND, say("There are two events. Please confirm the one to delete."), tools=TOOLS), "question"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(GONE, say("Deleted. Would you like me to remove the other?"), tools=TOOLS), CLEAN),
        (attempt(FOUND, say("There are two lunches. Is there anything else I can do?"), tools=TOOLS), CLEAN),
        (attempt(FOUND, say("There are two lunches."), tools=TOOLS), CLEAN),
        (attempt(FOUND, say("Which one do you mean?"), tools=TOOLS, expected_actions=[]), CLEAN),
        (attempt(call("find_events", {}, "[]"), say("Could you tell me the name of it?"), tools=TOOLS), GUARDED),
        (attempt(say("Which one?"), user("The first."), say("Are you sure of it?"), tools=TOOLS), NOT_APPLICABLE),
        (attempt(say("Where are you?"), tools=[tool("get_weather", city="string")]), NOT_APPLICABLE),
        (attempt(say("Which one do you mean?")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
