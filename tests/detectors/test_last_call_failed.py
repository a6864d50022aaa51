"""Answers that pass over a failed call."""

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
    user,
)

from blade.detectors.last_call_failed import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(call("book", {"seat": 3}, "Error: the seat is taken"), say("Your seat is booked.")), "book"),
        (
            attempt(
                call("save", {}, {"success": False, "message": "disk full"}), say("The note is saved."), user("Thanks")
            ),
            "save",
        ),
        (
            attempt(
                call("bash", {"command": "python go.py"}, "Traceback (most recent call last):\nValueError: x"),
                say("42"),
            ),
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
        (attempt(call("book", {}, "Error: taken"), say("I could not book the seat.")), CLEAN),
        (attempt(call("book", {}, "Error: taken"), say("The seat is taken, sorry."), user("Ok"), say("Bye.")), CLEAN),
        (attempt(call("book", {}, "Error: taken"), call("book", {"seat": 4}, "ok"), say("Booked.")), CLEAN),
        (
            attempt(call("bash", {"command": "grep x f"}, '{"output": "", "exit_code": 1}'), say("It stands nowhere.")),
            CLEAN,
        ),
        (attempt(call("book", {}, "Error: taken")), NOT_APPLICABLE),
        (attempt(say("Booked.")), NOT_APPLICABLE),
        (attempt(call("book", {}), say("Booked.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
