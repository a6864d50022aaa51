"""Arguments that are no JSON object."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, tool

from blade.detectors.malformed_args import detect
from blade.findings import State

BOOK = tool("book", seat="integer")
BROKEN = '{"seat": 12, "name": "An'


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("book", BROKEN, {"error": "arguments could not be read"}), say("Done."), tools=[BOOK]), "book"),
        (attempt(call("book", "seat=12", "Error: expected an object"), tools=[BOOK]), "book"),
        (attempt(call("pay", "{'sum': 3}", "Invalid arguments"), say("Paid.")), "pay"),
        (attempt(call("book", [1, 2], "Error: expected an object"), tools=[BOOK]), "book"),
        (attempt(call("book", BROKEN), tools=[BOOK]), "book"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("Nothing to do."), tools=[BOOK]), NOT_APPLICABLE),
        (attempt(call("book", {"seat": 3}, "Error: taken"), tools=[BOOK]), CLEAN),
        (attempt(call("book", "", "Error: no seat"), tools=[BOOK]), CLEAN),
        (attempt(call("apply_patch", "*** Begin Patch", "Error: no such file")), CLEAN),
        (attempt(call("book", BROKEN, "booked"), tools=[BOOK]), CLEAN),
        (attempt(call("book", BROKEN, "Error: bad"), call("book", {"seat": 12}, "ok"), tools=[BOOK]), GUARDED),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
