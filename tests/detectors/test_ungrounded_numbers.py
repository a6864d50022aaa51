"""Numbers from nowhere."""

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

from blade.detectors.ungrounded_numbers import detect
from blade.findings import State

SALES = call("query", {"table": "sales"}, "north 1200, south 3400")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(SALES, say("The north sold 1735 and the south 2891.")), ""),
        (attempt(call("search", {}, "Founded in 1901."), say("It has 48,213 members and 7,719 trucks.")), ""),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(SALES, say("The north sold 1200 and the south 3400.")), CLEAN),
        (attempt(SALES, say("Together 4,600; the difference is 2200.")), CLEAN),
        (attempt(SALES, say("The north sold 1735.")), CLEAN),
        (attempt(SALES, say("North 12, south 34.")), CLEAN),
        (attempt(SALES, say("The codes are 5711 and 9133."), prompt="Codes: 5711, 9133"), CLEAN),
        (attempt(say("The north sold 1735 and the south 2891.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
