"""Exceptions of the verifier itself."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.harness_exception import detect
from blade.findings import State


def trace(path: str, raised: str, *more: str) -> str:
    frames = "".join(f'  File "{one}", line 3, in f\n    g()\n' for one in (path, *more))
    return f"Traceback (most recent call last):\n{frames}{raised}\n"


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), verifier={"log": trace("/srv/grader/score.py", "KeyError: 'id'")}), "KeyError"),
        (
            attempt(say("x"), error=trace("/opt/harness/run.py", "json.decoder.JSONDecodeError: Extra data")),
            "JSONDecodeError",
        ),
        (attempt(say("x"), stdout="INTERNALERROR> ValueError: no plugin"), "test harness"),
        (attempt(say("x"), verifier={"reference_passed": False}), "reference fails"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), log=trace("/srv/grader/score.py", "AssertionError: 3 != 4")), CLEAN),
        (attempt(say("x"), log=trace("/srv/work/solution.py", "KeyError: 'id'")), CLEAN),
        (attempt(say("x"), log=trace("/srv/grader/run.py", "KeyError: 1", "/srv/work/solution.py")), CLEAN),
        (attempt(say("x"), log=trace("/srv/grader/run.py", "ModuleNotFoundError: No module named 'mine'")), CLEAN),
        (attempt(say("x"), verifier={"matches_reference": False}, note="all fine"), CLEAN),
        (attempt(say("x")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
