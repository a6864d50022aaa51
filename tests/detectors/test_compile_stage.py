"""Work that does not compile."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.compile_stage import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), compiler_output={"stdout": "main.c:3:5: error: expected ';'"}), "compiler error"),
        (attempt(say("x"), error="SyntaxError: invalid syntax", extracted_code="x ="), "SyntaxError"),
        (attempt(say("x"), status="compile_error", code="fn main("), "compile error"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)
    assert seen.cites


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), test_log="3 passed, 0 errors"), CLEAN),
        (attempt(say("x"), test_log="SyntaxError in a fixture\n2 passed, 1 failed in the tests"), CLEAN),
        (attempt(say("x"), error="NameError: name 'f' is not defined", code="f()"), CLEAN),
        (attempt(say("x"), model_output="SyntaxError: x", generation="main.c:3: error"), NOT_APPLICABLE),
        (attempt(say("A SyntaxError is an error.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)
