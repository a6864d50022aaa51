"""The words of a verdict: what is real on these tasks is not told of all tasks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from blade.model import Change
from blade.summary.change_words import verdict_words

WORDS = {"real": "a real difference", "inconclusive": "inconclusive", "noise": "within noise"}


@pytest.mark.parametrize(
    ("verdict", "interval", "words"),
    [
        ("real", (-0.095, 0.015), "a real difference on these tasks"),
        ("real", (-0.2, -0.01), "a real difference"),
        ("real", (-0.1, -0.1), "a real difference"),
        ("real", None, "a real difference"),
        ("inconclusive", (-0.1, 0.1), "inconclusive"),
    ],
)
def test_an_interval_that_includes_zero_limits_the_verdict_to_these_tasks(
    verdict: str, interval: tuple[float, float] | None, words: str
) -> None:
    told = SimpleNamespace(
        verdict=verdict,
        interval=interval,
        delta_common=-0.1,
        flips_expected=None,
        shared_outputs={"same_runs": False, "reward_differs": 0},
    )
    assert verdict_words(cast("Change", told), WORDS) == words
