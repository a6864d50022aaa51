"""The ceiling of what could be won back, by hand."""

from __future__ import annotations

import pytest

from blade.stats.ablation import Tried, best, score

CODES = {"1": Tried(1.0), "w": Tried(0.0), "s": Tried(0.0, ("tool_misuse",)), "I": Tried(0.0, ("infrastructure",))}
CODES |= {"T": Tried(0.0, ("truncation",)), "M": Tried(0.0, ("malformed",))}
CANDIDATE = [[CODES[letter] for letter in letters] for letters in ("11II", "11TT", "1wss", "www1", "1w1M", "wwww")]


def test_the_worked_example_comes_out_as_published() -> None:
    assert score(CANDIDATE) == pytest.approx(1 / 3)
    assert best(CANDIDATE) == pytest.approx(0.8333, abs=5e-5)
    ceilings = {cause: score(CANDIDATE, {cause}) for cause in ("infrastructure", "truncation", "malformed")}
    assert ceilings == pytest.approx({"infrastructure": 0.4167, "truncation": 0.4167, "malformed": 0.3611}, abs=5e-5)
    assert score(CANDIDATE, {"tool_misuse"}) == pytest.approx(0.375, abs=5e-5)
    every = {"infrastructure", "truncation", "malformed", "tool_misuse"}
    assert score(CANDIDATE, every) == pytest.approx(0.5694, abs=5e-5)


def test_a_task_hit_in_every_attempt_is_kept_as_it_is() -> None:
    assert score([[CODES["I"], CODES["I"]], [CODES["1"]]], {"infrastructure"}) == 0.5


def test_a_pass_that_bears_the_cause_is_set_aside_too() -> None:
    lucky = Tried(1.0, ("tool_misuse",))
    assert score([[lucky, CODES["w"]]], {"tool_misuse"}) == 0.0


def test_without_attempts_nothing_is_known() -> None:
    assert (score([]), best([]), score([[]])) == (None, None, None)
