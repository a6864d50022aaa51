"""What goes with passing, and one run does far more often than another one at the same tasks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, said, words

from blade.questions import left_by_a_run

TASKS, ATTEMPTS = 24, 4
OLD = "Edition of nineteen eighty, text as it was"
NEW = "Edition revised in this very year"
Opens = Callable[[int, int], bool]


def rollout(task: int, attempt: int, *, is_new: bool, passed: bool) -> Json:
    page = f"{NEW if is_new else OLD}. Pond {'abcdefghijklmnopqrstuvwxyz'[task]} is deep."
    output = [*called("open_page", {"name": f"pond {task}"}, page), *said("So it is.")]
    response = {"id": "r", "model": "m", "output": output}
    return row(
        task, attempt, float(passed), task_id=f"t{task}", response=response, expected_answer=None, extracted_answer=None
    )


def run_of(path: Path, opens_new: Opens, passes: Callable[[int, int, bool], bool]) -> Path:
    rows = []
    for task in range(TASKS):
        for attempt in range(ATTEMPTS):
            is_new = task < 12 and opens_new(task, attempt)
            rows.append(rollout(task, attempt, is_new=is_new, passed=passes(task, attempt, is_new)))
    return write(path, rows)


def often(task: int, attempt: int) -> bool:
    return attempt > 0


def seldom(task: int, attempt: int) -> bool:
    return attempt == task % 4 and task < 8


def told(*paths: Path) -> str:
    answer = analysed(*paths).investigation.get("left_by_a_run")
    return words(left_by_a_run.tell(answer)) if answer else ""


def by_page(task: int, attempt: int, is_new: bool) -> bool:
    """Where a page has two editions the new one is right but for one attempt; elsewhere every second passes."""
    return (is_new and attempt != 3) if task < 12 else attempt % 2 == 0


def test_what_the_better_run_opens_is_told_with_both_outcomes(tmp_path: Path) -> None:
    paths = [run_of(tmp_path / "later.jsonl", often, by_page), run_of(tmp_path / "first.jsonl", seldom, by_page)]
    text = told(*paths)
    assert text.startswith(
        "At 12 tasks (t0, t1, t10, t11, t2, t3, t4, t5, t6, t7, t8 and t9) a tool shows “in this very” in 36 of 48 "
        "rollouts of later and in 8 of 48 of first (exact test within tasks, corrected: p = "
    ), text
    assert "with it 24 of 36 and 6 of 8 pass, without it 0 of 12 and 0 of 40." in text, text


def test_what_both_runs_open_as_often_is_no_difference(tmp_path: Path) -> None:
    paths = [run_of(tmp_path / f"{name}.jsonl", often, by_page) for name in ("later", "first")]
    assert told(*paths) == ""


def test_what_has_nothing_to_do_with_passing_is_not_told(tmp_path: Path) -> None:
    def by_attempt(task: int, attempt: int, is_new: bool) -> bool:
        return (task + attempt) % 2 == 0

    paths = [run_of(tmp_path / "later.jsonl", often, by_attempt), run_of(tmp_path / "first.jsonl", seldom, by_attempt)]
    assert told(*paths) == ""


def test_the_summary_says_what_came_of_it(tmp_path: Path) -> None:
    paths = [run_of(tmp_path / "later.jsonl", often, by_page), run_of(tmp_path / "first.jsonl", seldom, by_page)]
    answer = analysed(*paths).investigation["left_by_a_run"]
    (sentence,) = left_by_a_run.brief(answer)
    assert sentence.text.endswith("with it 24 of 36 and 6 of 8 pass, without it 0 of 12 and 0 of 40.")


def test_a_look_up_that_the_better_run_makes_is_told(tmp_path: Path) -> None:
    def looked(task: int, attempt: int, *, asks: bool) -> Json:
        word = "abcdefghijklmnopqrstuvwxyz"[task]
        answer = f"Term {word} means pond {word}." if task < 12 else "No entry for it."
        output = [*(called("look_up", {"term": word}, answer) if asks else []), *said(f"So it is {word}.")]
        passed = asks and attempt < 3 if task < 12 else attempt % 2 == 0
        response = {"id": "r", "model": "m", "output": output}
        made = row(task, attempt, float(passed), task_id=f"t{task}", response=response)
        return made | {"expected_answer": None, "extracted_answer": None}

    def run(name: str, asks: Opens) -> Path:
        rows = [looked(task, attempt, asks=asks(task, attempt)) for task in range(TASKS) for attempt in range(ATTEMPTS)]
        return write(tmp_path / f"{name}.jsonl", rows)

    text = told(run("asking", often), run("guessing", seldom))
    assert "look_up is called and tells something in 36 of 48 rollouts of asking and in 8 of 48 of guessing" in text, (
        text
    )
    assert "a tool shows" not in text, "what it shows to all who call it is no finding of its own"
    assert "with it 24 of 36 and 6 of 8 pass, without it 0 of 12 and 0 of 40." in text, text
