"""Passes that lack most of the checks by which the other rollouts of their task were judged."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import fewer_checks

NAMES = ("oven_hot", "bread_risen", "crust_brown")


def _row(task: int, attempt: int, results: dict[str, bool]) -> Json:
    passed = float(all(results.values()))
    return row(task, attempt, passed, expected_answer=None, extracted_answer=None, verifier={"test_results": results})


def test_passes_with_skipped_checks_are_told_and_counted_out(tmp_path: Path) -> None:
    rows = [_row(1, attempt, {name: name != "crust_brown" or attempt > 1 for name in NAMES}) for attempt in range(4)]
    rows += [_row(1, attempt, {"oven_hot": True, "bakery.py:8: closed today": True}) for attempt in (4, 5, 6)]
    rows += [_row(2, attempt, dict.fromkeys(NAMES, True)) for attempt in range(3)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["fewer_checks"]
    text = words(fewer_checks.tell(answer))
    assert (
        "1: 3 passes (one 3) have no result for 2 of the 3 checks that 4 rollouts of the task were judged by "
        "(“bread_risen” and “crust_brown”)" in text
    ), text
    assert "In their place stands “bakery.py:8: closed today”." in text
    assert "Without such passes one has 5 of 10 (50.0%) instead of 8." in text
    assert len(list(fewer_checks.brief(answer))) == 1


def test_a_skip_line_is_no_check_even_where_most_rollouts_have_it(tmp_path: Path) -> None:
    """The rollouts that ran all checks are the fewer: the passes in doubt are still those that skipped them."""
    closed = {f"[1] ../bakery/test_day.py:{line}: closed today": True for line in (8, 19)}
    rows = [_row(1, attempt, dict.fromkeys(NAMES, True)) for attempt in range(3)]
    rows += [_row(1, attempt, {"oven_hot": True} | closed) for attempt in range(3, 7)]
    rows += [_row(1, 7, {"oven_hot": False} | closed)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["fewer_checks"]
    text = words(fewer_checks.tell(answer))
    assert (
        "1: 4 passes (one 4) have no result for 2 of the 3 checks that 3 rollouts of the task were judged by "
        "(“bread_risen” and “crust_brown”): these were skipped and stand as passed, so that such a pass proves nothing."
        in text
    ), text
    assert "“[1] ../bakery/test_day.py:19: closed today”" in text
    assert "Without such passes one has 3 of 8 (37.5%) instead of 7." in text


def test_more_checks_than_usual_and_failures_with_an_error_of_their_own_say_nothing(tmp_path: Path) -> None:
    """The agent's own checks are run, too; a test that breaks is named by its error."""
    rows = [_row(1, attempt, dict.fromkeys((*NAMES, f"own_{attempt}"), True)) for attempt in range(4)]
    rows += [_row(2, attempt, {"checks.py - IndexError: none": False}) for attempt in range(4)]
    rows += [_row(2, 4, {"all_well": True})]
    assert "fewer_checks" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
