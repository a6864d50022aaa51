"""Functions and options that do not exist."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.nonexistent_api import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (
            attempt(
                call(
                    "python",
                    {"code": "import maths\nmaths.cubed(2)"},
                    "AttributeError: module 'maths' has no attribute 'cubed'",
                )
            ),
            "cubed",
        ),
        (attempt(call("bash", {"command": "sortit --wildly a"}, "sortit: unrecognized option '--wildly'")), "wildly"),
        (
            attempt(say("plot(size=3, glow=1)"), log="TypeError: plot() got an unexpected keyword argument 'glow'"),
            "glow",
        ),
        (
            attempt(
                say("kiln = Kiln(heat=900, until=7)"),
                log="pots.errors.NoSuchKey: Key(s) ['until'] not found; available keys are ['heat', 'hours']",
            ),
            "until",
        ),
        (
            attempt(say("Glaze(tint='red')"), log="ValueError: 2 unrecognized arguments for glaze: tint, coats"),
            "tint",
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
        (attempt(call("python", {"code": "maths.cubed(2)"}, "8")), CLEAN),
        (attempt(call("python", {"code": "run()"}, "AttributeError: module 'maths' has no attribute 'cubed'")), CLEAN),
        (
            attempt(call("python", {"code": "x.name"}, "AttributeError: 'NoneType' object has no attribute 'name'")),
            CLEAN,
        ),
        (attempt(call("sh", {"c": "ls -q"}, "ls: invalid option -- 'q'"), call("sh", {"c": "ls"}, "a")), GUARDED),
        (attempt(say("plot(size=3)"), log="TypeError: plot() got an unexpected keyword argument 'glow'"), CLEAN),
        (attempt(say("look up 'until'"), log="'until' not found in the answer"), CLEAN),
        (attempt(say("fire(9)"), log="Key(s) ['until'] not found; available keys are ['heat']"), CLEAN),
        (attempt(), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


def test_an_error_that_lists_the_known_keys_is_told_from_its_beginning() -> None:
    log = "run of the kiln\npots.NoSuchKey: Key(s) ['until'] not found; available keys are ['heat', 'hours']"
    seen = detect(attempt(say("Kiln(until=7)"), log=log))
    assert "does not exist: pots.NoSuchKey: Key(s) ['until'] not found; available keys are" in seen.detail
