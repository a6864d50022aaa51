"""Tools that are not offered."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, tool

from blade.detectors.unknown_tool import detect
from blade.findings import State

BOOK, LOOK = tool("book"), tool("look")


def test_an_invented_tool_fires() -> None:
    made = attempt(*[call("reserve", {"seat": 3}, "Error: unknown tool")], say("Done."), tools=[BOOK, LOOK])
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, "reserve")
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("book", {}, "ok"), tools=[BOOK]), CLEAN),
        (attempt(call("book", {}, "Error: full"), tools=[BOOK]), CLEAN),
        (attempt(call("renamed", {}, "ok"), tools=[BOOK]), CLEAN),
        (attempt(call("reserve", {}, "Error: unknown tool"), call("book", {}, "ok"), tools=[BOOK]), GUARDED),
        (attempt(call("reserve", {}, "Error: unknown tool")), NOT_APPLICABLE),
        (attempt(say("I call reserve()."), tools=[BOOK]), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
