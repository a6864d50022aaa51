"""Paths and addresses that are not there."""

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

from blade.detectors.fabricated_path_or_source import detect
from blade.findings import State

URL = "https://b/data/table9.csv"


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(
                call("read", {"path": "src/engine/core.py"}, "Error: src/engine/core.py: No such file or directory"),
                say("So."),
            ),
            "path",
        ),
        (attempt(call("fetch", {"url": URL}, "Error: 404 not found"), say("So.")), "address"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(call("read", {"path": "src/engine/core.py"}, "x = 1"), say("So.")), CLEAN),
        (
            attempt(
                call("read", {"path": "src/engine/core.py"}, "No such file: src/engine/core.py"), prompt="See core.py"
            ),
            CLEAN,
        ),
        (
            attempt(
                call("bash", {"command": "ls src"}, "src/a/b.py"),
                call("bash", {"command": "cat src/a/b.py"}, "src/a/b.py: No such file"),
            ),
            CLEAN,
        ),
        (
            attempt(
                call("bash", {"command": "cat /etc/foo/bar.conf"}, "cat: /etc/foo/bar.conf: No such file or directory")
            ),
            CLEAN,
        ),
        (
            attempt(
                call("read", {"path": "lib/deep/core.py"}, "Error: lib/deep/core.py not found"),
                call("read", {"path": "lib/main.py"}, "x = 1"),
            ),
            GUARDED,
        ),
        (attempt(say("See src/engine/core.py")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
