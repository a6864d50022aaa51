"""Answers that a cache gave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import cached_answers


def timed(task: int, attempt: int, seconds: float, text: str = "", **fields: Any) -> Json:
    said = response(message(text or f"Task {task}, attempt {attempt}."))
    return row(task, attempt, float(task % 2), response=said, timing={"generation_seconds": seconds, **fields})


def told(folder: Path, *runs: list[Json]) -> str:
    paths = [write(folder / f"run{place}.jsonl", rows) for place, rows in enumerate(runs)]
    answer = analysed(*paths).investigation.get("cached_answers")
    return words(cached_answers.tell(answer)) if answer else ""


def test_an_output_that_comes_again_in_no_time_is_out_of_a_cache(tmp_path: Path) -> None:
    rows = [timed(task, 0, 4.0 + task, f"Task {task}.") for task in range(8)]
    rows += [timed(task, 1, 0.01 if task < 4 else 5.0, f"Task {task}.") for task in range(8)]
    assert told(tmp_path, rows) == (
        "4 of 16 judged rollouts of run0 are out of a cache: the same output as an attempt before, in less than a "
        "twentieth of the usual time (0, 1, 2 and 3). They are no new attempts, and their times are not the model's."
    )


def test_outputs_that_come_again_sooner_than_any_was_made_are_out_of_a_cache(tmp_path: Path) -> None:
    rows = [timed(task, 0, 4.0 + task, f"Task {task}.") for task in range(8)]
    rows += [
        timed(task, 1, 1.0 + task / 2 if task < 5 else 9.0, f"Task {task}." if task < 5 else "") for task in range(8)
    ]
    assert told(tmp_path, rows).startswith(
        "5 of 16 judged rollouts of run0 are out of a cache: the same output as an attempt before, in less time than "
        "any that was made (0, 1, 2, 3 and 4)."
    )


def test_where_only_some_of_the_equal_outputs_come_sooner_they_were_made(tmp_path: Path) -> None:
    rows = [timed(task, 0, 4.0 + task, f"Task {task}.") for task in range(8)]
    rows += [timed(task, 1, 3.0 if task < 4 else 6.0, f"Task {task}.") for task in range(8)]
    assert told(tmp_path, rows) == ""


def test_a_row_may_say_so_itself(tmp_path: Path) -> None:
    rows = [timed(task, 0, 4.0 + task, cached=task < 3) for task in range(8)]
    assert "3 of 8 judged rollouts of run0 are out of a cache: “timing.cached” says so (0, 1 and 2)." in told(
        tmp_path, rows
    )


def test_quick_answers_that_are_new_and_slow_ones_that_are_equal_were_made(tmp_path: Path) -> None:
    rows = [timed(task, attempt, 4.0 + task, f"Task {task}.") for task in range(8) for attempt in range(2)]
    assert told(tmp_path, rows) == ""
    rows = [timed(task, 0, 0.01 if task < 4 else 5.0 + task) for task in range(12)]
    assert told(tmp_path, rows) == ""
    rows = [timed(task, 0, 4.0 + task, prompt_tokens_cached=True) for task in range(8)]
    assert told(tmp_path, rows) == ""
