"""Code that was never run."""

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

from blade.detectors.never_tested import detect
from blade.findings import State

EDIT = call("edit", {"path": "src/a.py", "old_string": "x", "new_string": "y"}, "ok", "e")
SHELL = tool("bash", command="string")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(EDIT, say("Fixed."), tools=[SHELL, tool("edit")]), "a.py"),
        (
            attempt(
                call("terminal", {"command": "ls"}, "a"),
                call("terminal", {"command": "echo 'x=1' > run.py"}, ""),
                say("So."),
            ),
            "run.py",
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
        (attempt(EDIT, call("bash", {"command": "python3 -m pytest"}, "ok"), say("Fixed."), tools=[SHELL]), CLEAN),
        (attempt(EDIT, call("bash", {"cmd": "timeout 60 go test ./..."}, "ok"), say("Fixed.")), CLEAN),
        (attempt(EDIT, say("Fixed."), tools=[tool("edit")]), NOT_APPLICABLE),
        (attempt(call("bash", {"command": "cat a.py"}, "x"), say("So.")), NOT_APPLICABLE),
        (attempt(call("bash", {"command": "echo hi > notes.txt"}, ""), say("So.")), NOT_APPLICABLE),
        (attempt(say("So."), tools=[SHELL]), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
