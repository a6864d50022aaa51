"""Edits of files that were never opened."""

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
)

from blade.detectors.edit_before_read import detect
from blade.findings import State

EDIT = call("edit", {"path": "src/core.py", "old_string": "x", "new_string": "y"}, "ok", "e")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(EDIT, say("Fixed.")), "core.py"),
        (
            attempt(call("bash", {"command": "ls"}, "lib"), call("bash", {"command": "sed -i s/a/b/ lib/util.js"}, "")),
            "util.js",
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
        (attempt(call("read", {"path": "src/core.py"}, "x"), EDIT), CLEAN),
        (attempt(call("bash", {"command": "grep -rn x ."}, "src/core.py:3: x"), EDIT), CLEAN),
        (attempt(call("write", {"path": "new.py", "content": "x"}, "ok")), NOT_APPLICABLE),
        (attempt(call("bash", {"command": "echo x >> log.txt"}, "")), NOT_APPLICABLE),
        (attempt(EDIT, call("read", {"path": "src/core.py"}, "y")), GUARDED),
        (attempt(EDIT, prompt="Here is core.py:\n```\nx\n```"), CLEAN),
        (attempt(say("Fixed.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
