"""Tools that are announced and never called."""

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
    tool,
    user,
)

from blade.detectors.planned_tool_not_used import detect
from blade.findings import State

FIND, ADD = tool("find_order"), tool("calculator")
TOOLS = [FIND, ADD]


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("I'll use find_order to get it."), say("Your order is late."), tools=TOOLS), "find_order"),
        (attempt(think("I need to call `calculator` first."), say("The sum is 12."), tools=TOOLS), "calculator"),
        (
            attempt(say("Let me use the calculator tool."), call("find_order", {}, "ok"), say("12."), tools=TOOLS),
            "calculator",
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
        (attempt(say("I'll use find_order."), call("find_order", {}, "ok"), say("Late."), tools=TOOLS), CLEAN),
        (attempt(say("I'll use a calculator in my head."), say("12."), tools=TOOLS), CLEAN),
        (attempt(say("I will call find_order once you confirm."), say("Bye."), tools=TOOLS), CLEAN),
        (attempt(say("I'll use find_order."), user("No need."), say("Fine."), tools=TOOLS), CLEAN),
        (attempt(say("You may use find_order."), say("Bye."), tools=TOOLS), CLEAN),
        (attempt(say("I'll use find_order."), say("Late.")), NOT_APPLICABLE),
        (attempt(say("I'll use find_order."), call("calculator", {}, "1"), tools=TOOLS), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
