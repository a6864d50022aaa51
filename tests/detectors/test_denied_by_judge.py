"""Answers that equal the key and that a judge denies."""

from __future__ import annotations

from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, attempt, proved, say

from blade.detectors import denied_by_judge, equal_but_zero


def test_it_fires_in_the_place_of_the_rule_for_comparisons() -> None:
    made = attempt(say("x"), expected_answer="1,200", extracted_answer="1200", judge_output="Wrong unit. Verdict: B")
    sighting = denied_by_judge.detect(made)
    assert (sighting.state, sighting.value) == (FIRED, "same after normalisation")
    assert sighting.detail.endswith("and the judge (judge_output) denies it")
    assert proved(made, sighting)
    assert equal_but_zero.detect(made).state is NOT_APPLICABLE


def test_it_stays_quiet_without_a_judge_and_on_another_answer() -> None:
    assert denied_by_judge.detect(attempt(say("x"), expected_answer="7", extracted_answer="7")).state is NOT_APPLICABLE
    other = attempt(say("x"), expected_answer="7", extracted_answer="8", judge_output="B")
    assert denied_by_judge.detect(other).state is CLEAN
    assert denied_by_judge.detect(attempt(say("x"), judge_output="B")).state is NOT_APPLICABLE
