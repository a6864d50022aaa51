"""Tools that answer otherwise in one stretch of a run: told where another run and the rest show what they replace."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import changed_midway

USUAL = "The check did not pass. Please try once more."
OTHER = "Missed {} of 3 checks in this round. Please try once more."


def rollout(task: int, answer: str) -> Json:
    items = called("submit", {"code": f"f{task}"}, answer)
    return task_row(task, items, said(f"Done with {task}."), passed=task % 3 == 0)


def rows(first: int = 0, last: int = 0, scattered: int = 0) -> list[Json]:
    """Sixty tasks whose tool answers otherwise from one task up to another, or in every so-manieth."""
    other = [first <= task < last or (scattered > 0 and task % scattered == 0) for task in range(60)]
    return [rollout(task, OTHER.format(task % 3) if other[task] else USUAL) for task in range(60)]


def told(tmp_path: Path, *runs: list[Json]) -> str:
    paths = [write(tmp_path / f"{name}.jsonl", some) for name, some in zip("abc", runs, strict=False)]
    answer = analysed(*paths).investigation.get("changed_midway")
    return words(changed_midway.tell(answer)) if answer else ""


def test_a_stretch_is_told_with_what_takes_the_place_of_what(tmp_path: Path) -> None:
    assert told(tmp_path, rows(20, 36), rows()) == (
        "From task 20 to 35 the tools of a say “checks in this” (as in “Missed 2 of 3 checks in this round.”) in 16 of "
        "the 16 tasks in which they say anything, and in no other, and “The check did” (as in “The check did not "
        "pass.”) in 0; elsewhere they say that in 44 of 44, and in the other runs in 16 of 16 of the same tasks: the "
        "environment or the harness changed while the run went on, or a works otherwise there. a passes 5 of 16 there "
        "and 15 of 44 on its other tasks, the other runs 5 of 16 there."
    )


def test_the_advice_names_every_stretch_of_the_run(tmp_path: Path) -> None:
    first, second = rows(10, 20), rows()
    third = [rollout(task, f"Broken at door {task}, try again") for task in range(40, 50)]
    changed = [*first[:40], *third, *first[50:]]
    paths = [write(tmp_path / f"{name}.jsonl", some) for name, some in (("a", changed), ("b", second))]
    answer = analysed(*paths).investigation["changed_midway"]
    (advice,) = changed_midway.advise(answer)
    assert "changed in its tasks 10 to 19 and 40 to 49, and run these again" in advice.change
    assert advice.because.text == (
        "There alone its tools say “checks in this” (as in “Missed 1 of 3 checks in this round.”) in 10 tasks and "
        "“Broken at door” (as in “Broken at door 40, try again”) in 10 tasks."
    )
    assert advice.before_scores


def test_what_is_scattered_or_what_all_runs_show_there_is_no_change(tmp_path: Path) -> None:
    assert told(tmp_path, rows(scattered=4), rows()) == ""
    assert told(tmp_path, rows(20, 36), rows(20, 36)) == ""


def test_one_run_alone_and_a_stretch_of_few_tasks_say_nothing(tmp_path: Path) -> None:
    assert told(tmp_path, rows(20, 36)) == ""
    assert told(tmp_path, rows(20, 26), rows()) == ""
