"""Numbers of tasks: told where the pass rate follows them, and only for tasks of one name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import numbered_tasks

TASKS = 60


def run_of(path: Path, passes: Callable[[int], bool], label: Callable[[int], str] = "puzzle_{}".format) -> Path:
    def rollout(task: int) -> Json:
        said = response(message(f"The answer to {task} is {task}."))
        return row(task, 0, float(passes(task)), response=said) | {"task_id": label(task)}

    return write(path, [rollout(task) for task in range(TASKS)])


def told(*paths: Path) -> str:
    answer = analysed(*paths).investigation.get("numbered_tasks")
    return words(numbered_tasks.tell(answer)) if answer else ""


def mostly_early(task: int) -> bool:
    return task < 20 or (task < 40 and task % 2 == 0) or task == 50


def test_a_pass_rate_that_falls_with_the_number_is_told_by_thirds(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "run.jsonl", mostly_early)).startswith(
        "The pass rate falls with the number of the task: 100.0% in the first third of 60 tasks named puzzle_… "
        "(puzzle_0 to puzzle_19), 50.0% in the second, 5.0% in the last (from puzzle_40 on; rank correlation −0.74, "
        "p = 1.3e-08)."
    )


@pytest.mark.parametrize(("levels", "explained"), [(("old", "new"), True), (("red", "blue"), False)])
def test_a_field_of_the_tasks_that_tells_as_much_explains_it(
    tmp_path: Path, levels: tuple[str, str], explained: bool
) -> None:
    def rollout(task: int) -> Json:
        passed = task % 5 > 0 if task < TASKS / 2 else task % 10 == 0
        level = levels[task >= TASKS / 2 if levels[0] == "old" else task % 2]
        said = response(message(f"It is {task}."))
        return row(task, 0, float(passed), response=said) | {"task_id": f"puzzle_{task}", "metadata": {"kind": level}}

    assert (told(write(tmp_path / "run.jsonl", [rollout(task) for task in range(TASKS)])) == "") is explained


def test_runs_are_said_to_be_alike(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / "one" / "run.jsonl", lambda task: not mostly_early(task)),
        run_of(tmp_path / "other" / "run.jsonl", lambda task: task >= 30),
    ]
    text = told(*runs)
    assert text.startswith("The pass rate rises with the number of the task: 0.0% in the first third of 60 tasks")
    assert "in the same direction in 2 of 2 runs" in text


@pytest.mark.parametrize(
    ("passes", "label"),
    [
        (lambda task: task % 3 == 0, "puzzle_{}".format),
        (mostly_early, lambda task: "abcdefghij"[task // 10] + "xyzuvwrstq"[task % 10]),
        (mostly_early, lambda task: f"{'early' if task < 30 else 'late'}_{task}"),
    ],
    ids=["no trend", "no numbers", "the name tells it, within it nothing is sure"],
)
def test_it_says_nothing(tmp_path: Path, passes: Callable[[int], bool], label: Callable[[int], str]) -> None:
    assert told(run_of(tmp_path / "run.jsonl", passes, label)) == ""
