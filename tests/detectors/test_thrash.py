"""Changes that are done and undone."""

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
)

from blade.detectors.thrash import detect
from blade.findings import State


def edit(old: str, new: str, number: int) -> list[dict[str, object]]:
    return call("edit", {"path": "a.py", "old_string": old, "new_string": new}, "ok", f"e{number}")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(edit("1", "2", 1), edit("2", "3", 2), edit("3", "2", 3), edit("2", "3", 4)), "a.py"),
        (
            attempt(
                call("set_mode", {"mode": "dark"}, "ok", "1"),
                call("set_mode", {"mode": "light"}, "ok", "2"),
                call("set_mode", {"mode": "dark"}, "ok", "3"),
            ),
            "set_mode",
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
        (attempt(edit("1", "2", 1), edit("2", "3", 2), edit("3", "4", 3)), CLEAN),
        (attempt(edit("1", "2", 1), edit("2", "1", 2)), NOT_APPLICABLE),
        (
            attempt(
                call("add", {"n": 1}, "ok", "1"), call("add", {"n": 2}, "ok", "2"), call("add", {"n": 3}, "ok", "3")
            ),
            CLEAN,
        ),
        (
            attempt(
                call("set_x", {"n": 1}, "Error: a", "1"),
                call("set_x", {"n": 2}, "ok", "2"),
                call("set_x", {"n": 1}, "ok", "3"),
            ),
            NOT_APPLICABLE,
        ),
        (
            attempt(
                call("get_x", {"n": 1}, "a", "1"), call("get_x", {"n": 2}, "b", "2"), call("get_x", {"n": 1}, "a", "3")
            ),
            NOT_APPLICABLE,
        ),
        (attempt(say("So.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
