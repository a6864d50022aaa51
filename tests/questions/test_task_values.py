"""Values of the tasks: told where the pass rate follows them, and no other field of the tasks tells as much."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import task_values
from blade.stats.rate_trends import rate_trend

TASKS = 60
NAMES = ["abcdefghij"[task // 10] + "xyzuvwrstq"[task % 10] for task in range(TASKS)]
"""Names without a number or a family: other questions read those."""


def early(task: int) -> bool:
    return task < 20 or (task < 40 and task % 2 == 0) or task == 50


def rollout(task: int, attempt: int, *, passed: bool, **fields: Any) -> Json:
    answer = response(message(f"The answer to {task} is {task}."))
    return row(task, attempt, float(passed), response=answer) | {"task_id": NAMES[task], **fields}


def run_of(path: Path, passes: Callable[[int], bool], fields: Callable[[int, int], Json], attempts: int = 1) -> Path:
    rows = [
        rollout(task, attempt, passed=passes(task), **fields(task, attempt))
        for task in range(TASKS)
        for attempt in range(attempts)
    ]
    return write(path, rows)


def told(*paths: Path) -> str:
    answer = analysed(*paths).investigation.get("task_values")
    return words(task_values.tell(answer)) if answer else ""


def dated(task: int, _attempt: int) -> Json:
    return {"metadata": {"release_date": (date(2024, 1, 1) + timedelta(days=7 * task)).isoformat()}}


def steps(task: int, _attempt: int) -> Json:
    return {"metadata": {"steps_needed": task // 5 + 2}}


def test_a_pass_rate_that_falls_with_a_date_is_told_by_thirds(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "run.jsonl", early, dated)) == (
        "The pass rate falls with metadata.release_date: 100.0% in the third of 60 tasks with the earliest dates "
        "(2024-01-01 to 2024-05-13), 50.0% in the second, 5.0% in the last (from 2024-10-07 on; rank correlation "
        "−0.74, p = 1.3e-08). Later tasks may be harder, or tasks of an earlier date known to the model from its "
        "training: a model trained at another time tells which."
    )


def test_a_number_that_all_rollouts_of_a_task_share_is_one_of_the_task(tmp_path: Path) -> None:
    text = told(run_of(tmp_path / "run.jsonl", lambda task: not early(task), steps, attempts=2))
    assert text.startswith(
        "The pass rate rises with metadata.steps_needed: 0.0% in the third of 60 tasks with the lowest values "
        "(2 to 5), 50.0% in the second, 95.0% in the last (from 10 on; rank correlation 0.74"
    ), text


def test_runs_are_told_side_by_side(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one" / "a.jsonl", early, dated)
    other = run_of(tmp_path / "other" / "b.jsonl", lambda task: task < 30, dated)
    text = told(one, other)
    assert "in the same direction in 2 of 2 runs" in text
    assert "By run: a 100.0%, 50.0% and 5.0%; b 100.0%, 50.0% and 0.0%." in text


def test_the_length_of_the_prompt_is_a_value_too(tmp_path: Path) -> None:
    def asked(task: int, _attempt: int) -> Json:
        text = "Count the jars. " + "One shelf more. " * task
        return {"responses_create_params": {"input": [{"role": "user", "content": text}]}}

    text = told(run_of(tmp_path / "run.jsonl", early, asked))
    assert text.startswith(
        "The pass rate falls with the length of the prompt: 100.0% in the third of 60 tasks with the shortest prompts "
        "(15 to 319 characters), 50.0% in the second, 5.0% in the last (from 655 characters on; "
    ), text


def test_equal_values_stay_together() -> None:
    trend = rate_trend([1, 1, 1, 1, 2, 3, 3, 4, 4, 4], [[1, 1, 1, 1, 1, 0, 1, 0, 0, 0]])
    assert trend is not None
    assert trend.bounds == ((0, 4), (4, 7), (7, 10))
    assert trend.thirds == (1.0, 2 / 3, 0.0)
    assert rate_trend([1] * 8 + [2], [[1, 0] * 4 + [1]]) is None


@pytest.mark.parametrize(
    ("passes", "fields", "attempts"),
    [
        (lambda task: task % 3 == 0, dated, 1),
        (early, steps, 1),
        (early, lambda task, attempt: {"metadata": {"steps_needed": task + attempt}}, 2),
        (early, lambda task, _: {"metadata": {"task_index": task}}, 2),
        (early, lambda task, _: {"score_detail": task / TASKS}, 2),
        (early, lambda task, _: {"metadata": {"created_at": dated(task, 0)["metadata"]["release_date"]}}, 1),
        (
            lambda task: task % 5 > 0 if task < TASKS / 2 else task % 10 == 0,
            lambda task, _: {"metadata": {**dated(task, 0)["metadata"], "kind": "old" if task < TASKS / 2 else "new"}},
            1,
        ),
    ],
    ids=[
        "no trend", "one rollout a task", "differs between attempts", "counts tasks", "an outcome",
        "when somebody worked", "another field tells as much",
    ],
)  # fmt: skip
def test_it_says_nothing(
    tmp_path: Path, passes: Callable[[int], bool], fields: Callable[[int, int], Json], attempts: int
) -> None:
    assert told(run_of(tmp_path / "run.jsonl", passes, fields, attempts)) == ""


def test_of_two_fields_in_one_order_one_is_told(tmp_path: Path) -> None:
    def both(task: int, attempt: int) -> Json:
        return {"metadata": {**dated(task, attempt)["metadata"], **steps(task, attempt)["metadata"]}}

    text = told(run_of(tmp_path / "run.jsonl", early, both, attempts=2))
    assert text.count("The pass rate") == 1
