"""Verdicts in parts."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say, tool

from blade.detectors.partial_credit import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), follow_instruction_list=[True, False], instruction_id_list=["length", "tone"]), "tone"),
        (
            attempt(
                say("x"),
                rubric_evaluations=[
                    {"criterion": "Names the river", "verdict": "PASS"},
                    {"criterion": "Names the year", "verdict": "FAIL"},
                ],
            ),
            "Names the year",
        ),
        (attempt(say("x"), report={"F2P": {"success": ["t1"], "failure": ["t2"]}}), "t2"),
        (attempt(say("x"), verifier={"test_results": {"opens": "passed", "closes": "failed"}}), "closes"),
        (attempt(say("x"), must_pass=2, must_total=5), "must_pass"),
        (attempt(say("x"), test_log="FAILED t.py::test_sum - boom\n1 failed, 3 passed in 2s"), "t.py::test_sum"),
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
        (attempt(say("x"), follow_instruction_list=[True, True]), CLEAN),
        (attempt(say("x"), step_results=[False, False]), CLEAN),
        (attempt(say("x"), num_passed=0, num_total=5), CLEAN),
        (attempt(say("x"), valid_actions=[True, False]), NOT_APPLICABLE),
        (attempt(say("x"), tools=[tool("book")], options=["a", "b"]), NOT_APPLICABLE),
        (attempt(say("x"), judge_evaluations=[{"verdict": "pass"}, {"verdict": "fail"}]), NOT_APPLICABLE),
        (attempt(say("1 failed, 3 passed")), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)


def test_what_the_judge_says_of_the_failed_check_is_quoted_first() -> None:
    """Beside a bare 0 stands why; the words on checks that passed are no evidence."""
    results = [
        {"reward": 1, "explanation": "The greeting is polite and asks for the number."},
        {"reward": 0, "explanation": "It calls the tool before the customer gave the code."},
    ]
    made = attempt(say("x"), verification_results=results)
    seen = detect(made)
    assert seen.state is FIRED
    assert seen.cites[0].quote == "It calls the tool before the customer gave the code."
    assert "polite" not in str(seen.cites)
    assert proved(made, seen)


def test_a_test_that_was_due_fails_beside_those_that_were_kept() -> None:
    """No set is met in part, but the verdict is."""
    status = {"due": {"success": [], "failure": ["test_tide"]}, "kept": {"success": ["test_moon"], "failure": []}}
    made = attempt(say("x"), tests_status=status)
    seen = detect(made)
    assert seen.state is FIRED
    assert seen.detail == "passes 1 of 2 checks (tests_status); fails 'test_tide'"
    assert proved(made, seen)
