"""Edits that nobody ran."""

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

from blade.detectors.no_retest_after_edit import detect
from blade.findings import State

EDIT = call("edit", {"path": "src/a.py", "old_string": "x", "new_string": "y"}, "ok", "e")
TEST = call("bash", {"command": "cd /w && pytest -q"}, "1 failed", "t")
RUN = call("bash", {"command": "python a.py"}, "3", "r")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(TEST, EDIT, say("Fixed.")), "a.py"),
        (attempt(EDIT, RUN, EDIT, call("submit", {}, "ok")), "a.py"),
        (
            attempt(
                call("terminal", {"cmd": "make test"}, "1 failed"),
                call("terminal", {"cmd": "sed -i s/1/2/ lib/b.c"}, ""),
                say("Done."),
            ),
            "b.c",
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
        (attempt(TEST, EDIT, TEST, say("Fixed.")), CLEAN),
        (attempt(EDIT, RUN, say("Fixed.")), CLEAN),
        (attempt(TEST, call("write", {"path": "notes.md", "content": "x"}, "ok"), say("Fixed.")), CLEAN),
        (
            attempt(TEST, call("bash", {"command": "cat > b.py << 'E'\nprint(1)\nE\npython b.py"}, "1"), say("Fixed.")),
            CLEAN,
        ),
        (
            attempt(
                TEST, call("edit", {"path": "a.py", "old_string": "x", "new_string": "y"}, "Error: no"), say("So.")
            ),
            CLEAN,
        ),
        (attempt(TEST, EDIT), CLEAN),
        (attempt(RUN, EDIT, say("Fixed.")), NOT_APPLICABLE),
        (attempt(EDIT, say("Fixed.")), NOT_APPLICABLE),
        (attempt(say("Fixed.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
