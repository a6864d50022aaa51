"""Calls that are not the ones announced."""

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
    tool,
)

from blade.detectors.plan_action_mismatch import detect
from blade.findings import State

FIND, DROP, ADD = tool("find_order"), tool("cancel_order"), tool("add")
TOOLS = [FIND, DROP, ADD]


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(say("I'll call find_order now."), call("cancel_order", {"id": 1}, "ok"), tools=TOOLS),
            "find_order → cancel_order",
        ),
        (
            attempt(say("Let me use `add` for this."), call("find_order", {"id": 1}, "ok"), say("So."), tools=TOOLS),
            "add → find_order",
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
        (attempt(say("I'll call find_order now."), call("find_order", {"id": 1}, "ok"), tools=TOOLS), CLEAN),
        (attempt(say("I'll call find_order."), call("add", {}, "1"), call("find_order", {}, "ok"), tools=TOOLS), CLEAN),
        (
            attempt(
                say("I'll call find_order."),
                call("add", {}, "1"),
                say("Now."),
                call("find_order", {}, "x"),
                tools=TOOLS,
            ),
            CLEAN,
        ),
        (attempt(say("I'll use find_order and cancel_order."), call("add", {}, "1"), tools=TOOLS), NOT_APPLICABLE),
        (attempt(say("I'll add it up."), call("find_order", {}, "1"), tools=TOOLS), NOT_APPLICABLE),
        (attempt(say("I'll call find_order."), call("add", {}, "1")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
