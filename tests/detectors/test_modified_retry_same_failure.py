"""Other arguments, the same failure."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.modified_retry_same_failure import detect
from blade.findings import State

TRIES = [call("query", {"sql": f"select {n}"}, f"OperationalError: no such column c{n}") for n in range(3)]
OTHERS = [call("pay", {"card": n}, {"error": f"card {n} is not accepted"}) for n in range(4)]


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(*TRIES, say("The answer is 4.")), "OperationalError"),
        (attempt(*OTHERS), "card # is not accepted"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(*TRIES[:2], say("I give up.")), CLEAN),
        (attempt(*[TRIES[0]] * 3), CLEAN),
        (attempt(*[call("sh", {"cmd": str(n)}, {"exit_code": 1}) for n in range(4)]), CLEAN),
        (attempt(TRIES[0], OTHERS[0], call("query", {"sql": "x"}, "SyntaxError: near x"), OTHERS[1]), CLEAN),
        (attempt(*TRIES, call("query", {"sql": "select 9"}, "9")), GUARDED),
        (attempt(say("Hello.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
