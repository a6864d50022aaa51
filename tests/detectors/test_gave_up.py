"""Giving up with a tool at hand."""

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
)

from blade.detectors.gave_up import detect
from blade.findings import State

WEATHER, WEB, SHELL = tool("get_weather"), tool("web_search"), tool("bash")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("I'm unable to tell the weather in Oslo."), tools=[WEATHER]), "get_weather"),
        (attempt(say("Sorry, I don't have access to the internet."), tools=[WEATHER, WEB]), "web_search"),
        (
            attempt(call("bash", {"command": "x"}, "Error: syntax"), say("I cannot run the script."), tools=[SHELL]),
            "bash",
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
        (attempt(say("It rains in Oslo."), tools=[WEATHER]), CLEAN),
        (attempt(say("I cannot book a table."), tools=[WEATHER]), CLEAN),
        (attempt(call("get_weather", {}, "none"), say("I'm unable to tell the weather."), tools=[WEATHER]), CLEAN),
        (
            attempt(
                call("get_weather", {}, "Error: a"),
                call("get_weather", {"d": 1}, "Error: b"),
                say("I'm unable to tell the weather."),
                tools=[WEATHER],
            ),
            CLEAN,
        ),
        (attempt(say("Our policy is strict: I cannot get the weather data."), tools=[WEATHER]), CLEAN),
        (
            attempt(
                call("get_weather", {}, "Error: 503 service unavailable"),
                say("I'm unable to tell the weather."),
                tools=[WEATHER],
            ),
            GUARDED,
        ),
        (attempt(say("I'm unable to tell the weather in Oslo.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
