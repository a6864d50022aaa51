"""Sums that do not come out."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.wrong_calculation import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("We pay 12 × 14 = 158 in all.")), ""),
        (attempt(say("That makes $20 * 6 = $130 for them.")), ""),
        (attempt(say("Together 1,200 + 300 - 50 = 1,400.")), ""),
        (attempt(say("So 18.8 − 8.3 = 10.8 km.")), ""),
        (attempt(say("So 15.2 ÷ 87 × 60 = 10.8 km/h.")), ""),
        (attempt(say("So 27.3 − 9.1 ≈ 19.3 km.")), ""),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("We pay 12 × 14 = 168 in all.")), CLEAN),
        (attempt(say("So 2 + 3 * 4 = 14 and 10 / 3 = 3.33.")), CLEAN),
        (attempt(say("So 10 / 4 = 2 with 2 left.")), CLEAN),
        (attempt(say("So 1893 - 1642 ≈ 250 years.")), CLEAN),
        (attempt(say("So 869 ÷ 424 = 2.04 and 4.33 × 12 = 52.0.")), CLEAN),
        (attempt(say("So 3.7 × 2 = 7 and 18.8 − 8.3 = 11.")), CLEAN),
        (attempt(say("On the clock, 9 + 5 = 2.")), CLEAN),
        (attempt(say("First 3 * 4 = 11. Sorry: 3 * 4 = 12.")), GUARDED),
        (attempt(say("Take x + 5 = 2 and y = 3.")), NOT_APPLICABLE),
        (attempt(say("So 20% of 5 is 1.")), NOT_APPLICABLE),
        (attempt(say("We have (2 + 3) * 4 = 20 and f(3) - 1 = 7.")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("x = 4, 2 + 2 = 5.", FIRED),
        ("a=1; 10 - 4 = 5 and 3 * 3 = 9", FIRED),
        ("sum: $5 + $6 = $12.", FIRED),
        ("3 \\times 4 = 13.", FIRED),
        ("2\u2009+\u20092 = 5.", FIRED),
        ("2 + 2 = 4. So 4 = 4.", CLEAN),
        ("y = 3 and z =  4", NOT_APPLICABLE),
    ],
)
def test_only_what_leads_up_to_the_sign_is_read(text: str, state: State) -> None:
    assert detect(attempt(say(text), prompt="How many?")).state is state
