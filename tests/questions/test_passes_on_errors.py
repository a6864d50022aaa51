"""Passes that end on an error which no failure shows are in doubt, and the scores are told without them."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, task_row, words

from blade import api
from blade.questions import passes_on_errors

BROKEN = "Error: invalid syntax in line {}"


def _row(task: int, answer: str, *, passed: bool) -> Json:
    return task_row(task, called("run", {"code": f"a{task} = 1"}, answer), passed=passed)


def _rows(ending: int, passes: int, tasks: int = 40) -> list[Json]:
    """The first `ending` tasks pass on an error; of the others as many pass as are left of `passes`."""
    rows = [_row(task, BROKEN.format(task), passed=True) for task in range(ending)]
    return rows + [_row(task, "wrong value", passed=task < passes) for task in range(ending, tasks)]


def test_they_stand_on_the_first_screen_and_are_to_be_scored_again(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "one.jsonl", _rows(8, 12)))
    answer = analysis.investigation["passes_on_errors"]
    (head,) = passes_on_errors.brief(answer)
    assert head.text == (
        "8 passes end on an error of run, “Error: invalid syntax in line …” (such as “Error: invalid syntax in line "
        "0”) (one 8), and no failure shows it: the verdict misses the error, or it is none; without them one passes 4 "
        "of 40."
    )
    (advice,) = passes_on_errors.advise(answer)
    assert advice.before_scores
    assert advice.change == (
        "Find out why the verifier passes work that ends on an error of run, and score these rollouts again before the "
        "scores are used"
    )
    assert advice.because.text == "8 passes end so: one 8."
    told = words(passes_on_errors.tell(answer))
    assert "which run answers (one: 0, 1, 2, 3, 4, 5, 6 and 7), and no failure shows it (exact test p = " in told
    assert "Without these 8 passes one passes 4 of 40." in told


def test_two_runs_are_compared_without_them_and_who_leads_then_is_said(tmp_path: Path) -> None:
    first = write(tmp_path / "one.jsonl", _rows(8, 20))
    second = write(tmp_path / "two.jsonl", _rows(0, 18))
    answer = api.analyze(first, second).investigation["passes_on_errors"]
    assert answer["pair"] == {
        "runs": ["one", "two"],
        "tasks": 40,
        "rollouts": [40, 40],
        "passes": [20, 18],
        "left": [12, 18],
    }
    told = words(passes_on_errors.tell(answer))
    assert (
        "On the 40 tasks that both have, one passes 20 of 40 and two 18 of 40; without them 12 and 18: then two leads."
        in told
    )


def test_an_error_that_failures_show_too_or_that_chance_explains_says_nothing(tmp_path: Path) -> None:
    also_failing = [*_rows(8, 12), _row(40, BROKEN.format(40), passed=False)]
    assert "passes_on_errors" not in analysed(write(tmp_path / "also.jsonl", also_failing)).investigation
    nearly_all_pass = _rows(8, 39)
    assert "passes_on_errors" not in analysed(write(tmp_path / "most.jsonl", nearly_all_pass)).investigation
    few = _rows(4, 12)
    assert "passes_on_errors" not in analysed(write(tmp_path / "few.jsonl", few)).investigation


def test_a_few_of_very_many_passes_move_no_score(tmp_path: Path) -> None:
    rows = _rows(8, 180, 420)
    assert "passes_on_errors" not in analysed(write(tmp_path / "many.jsonl", rows)).investigation
