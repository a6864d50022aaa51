"""Calls against the schema that were rejected."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, tool

from blade.detectors.schema_violation import detect
from blade.findings import State

BOOK = tool("book", ["seat"], seat="integer", kind={"type": "string", "enum": ["aisle", "window"]})


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("book", {"kind": "aisle"}, "Error: seat is missing"), tools=[BOOK]), "book.seat"),
        (attempt(call("book", {"seat": "twelve"}, {"success": False}), say("Done."), tools=[BOOK]), "book.seat"),
        (attempt(call("book", {"seat": 1, "kind": "roof"}, {"error": "bad kind"}), tools=[BOOK]), "book.kind"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("book", {"seat": 1}, "ok"), tools=[BOOK]), CLEAN),
        (attempt(call("book", {"seat": 1}, "Error: taken"), tools=[BOOK]), CLEAN),
        (attempt(call("book", {"seat": "1"}, "ok"), tools=[BOOK]), CLEAN),
        (attempt(call("book", {}, "Error: no seat"), call("book", {"seat": 2}, "ok"), tools=[BOOK]), GUARDED),
        (attempt(call("book", {}, "Error: no seat")), NOT_APPLICABLE),
        (attempt(say("Hello."), tools=[BOOK]), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
