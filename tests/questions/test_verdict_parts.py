"""Failures by the part of the verdict that they miss: scores beside each other, or sets of checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.extract.checks import checks_of
from blade.questions import verdict_parts


def _row(task: int, *, passed: bool, **verifier: Any) -> Json:
    return row(task, reward=float(passed), expected_answer=None, extracted_answer=None, verifier=verifier)


def test_failures_are_told_by_the_score_that_they_miss(tmp_path: Path) -> None:
    parts = [(1.0, 1.0)] * 6 + [(0.0, 1.0)] * 4 + [(1.0, 0.0)] * 2
    rows = [
        _row(task, passed=state + said == 2, breakdown={"STATE": state, "SAID": said}, error=None)
        for task, (state, said) in enumerate(parts)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["verdict_parts"]
    assert (answer["field"], answer["parts"]) == ("verifier.breakdown", ["SAID", "STATE"])
    told = words(verdict_parts.tell(answer))
    assert "of 6 judged failures 4 miss “STATE” alone (6, 7, 8 and 9) and 2 miss “SAID” alone (10 and 11)." in told


def test_failures_are_told_by_the_set_of_checks_that_they_miss(tmp_path: Path) -> None:
    def judged(task: int, new: int, old: int) -> Json:
        status = {
            "new": {"success": ["n1", "n2"][:new], "failure": ["n1", "n2"][new:]},
            "old": {"success": ["o1", "o2"][:old], "failure": ["o1", "o2"][old:]},
        }
        return _row(task, passed=new + old == 4, tests_status=status)

    sizes = [(2, 2)] * 5 + [(0, 2)] * 3 + [(1, 2)] + [(2, 1)]
    rows = [judged(task, new, old) for task, (new, old) in enumerate(sizes)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["verdict_parts"]
    told = words(verdict_parts.tell(answer))
    assert "of 5 judged failures 4 miss “new” alone (5, 6, 7 and 8) and 1 misses “old” alone (9)." in told
    assert "Nothing at all of “new” is met in 3 of them." in told
    (head,) = verdict_parts.brief(answer)
    assert head.text == (
        "Of 5 failures whose parts of the verdict are recorded 4 miss “new” alone, and 3 meet nothing at all of “new”."
    )


def test_scores_that_passes_lack_too_are_no_parts_of_the_verdict(tmp_path: Path) -> None:
    rows = [
        _row(task, passed=task % 2 == 0, marks={"style": float(task % 3 == 0), "speed": float(task % 4 == 0)})
        for task in range(12)
    ]
    assert "verdict_parts" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_number_of_criteria_is_the_whole_of_what_passed() -> None:
    told = {"reward": 0.0, "metadata": {"verdict": {"scores": {"n_passed": 21, "n_criteria": 23, "all_pass": 0}}}}
    (found,) = checks_of(told)
    assert (found.passed, found.total) == (21, 23)
    assert not list(checks_of({"num_passed": 3, "num_steps": 9})), "steps are no checks"


def test_parts_that_are_recorded_for_different_tasks_are_not_held_together(tmp_path: Path) -> None:
    """Where the one is recorded the other is not, so nothing says that it alone is missed."""
    rows = [
        _row(task, passed=task % 3 > 0, info={"r_actions" if task % 2 else "r_outputs": float(task % 3 > 0)})
        for task in range(18)
    ]
    assert "verdict_parts" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_failures_that_record_no_parts_are_counted_apart(tmp_path: Path) -> None:
    rows = [_row(task, passed=task < 6, breakdown={"STATE": float(task < 6), "SAID": 1.0}) for task in range(10)]
    rows += [_row(task, passed=False, breakdown=None) for task in range(10, 13)]
    rows += [_row(13, passed=True, breakdown={"STATE": 1.0, "SAID": 1.0})]
    rows += [_row(14, passed=False, breakdown={"STATE": 1.0, "SAID": 0.0})]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["verdict_parts"]
    text = words(verdict_parts.tell(answer))
    assert "one: of 5 judged failures that record them (3 do not) 4 miss “STATE” alone (6, 7, 8 and 9) and 1" in text, (
        text
    )
