"""Thinking and calls in the text."""

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

from blade.detectors.think_leak_or_tool_in_text import detect
from blade.findings import State

LOOK = tool("look_up", key="string")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("<think>\nFirst the sum, then")), "thinking"),
        (attempt(say('Wait.\n<tool_call>\n{"name": "look_up"}'), tools=[LOOK]), "tool call"),
        (attempt(say('{"name": "look_up", "arguments": {"key": "a"}}'), tools=[LOOK]), "tool call"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("<think>First the sum.</think> 12")), CLEAN),
        (attempt(say("<think>So"), prompt="Put your thoughts into <think> tags."), CLEAN),
        (attempt(say('{"name": "Ann", "arguments": []}'), tools=[LOOK]), CLEAN),
        (
            attempt(
                say('{"name": "look_up", "arguments": {}}'),
                tools=[LOOK],
                system='Write {"name": ..., "arguments": ...}.',
            ),
            CLEAN,
        ),
        (attempt(say("Use <tool_call> in XML.")), CLEAN),
        (attempt(say("<tool_call>"), call("look_up", {}, "x"), tools=[LOOK]), NOT_APPLICABLE),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
