"""Where the distance between two runs follows a value of the tasks: the cut, both sides, and the chance of it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.questions import gaps_by_value
from blade.stats.best_cut import best_cut

TASKS, LONG = 48, 14


def run_of(path: Path, passes: Callable[[int, int], bool], value: Callable[[int], int]) -> Path:
    def rollout(task: int, attempt: int) -> Json:
        answer = response(message(f"The answer to {task} is {task}, {path.stem} {attempt}."))
        made = row(task, attempt, float(passes(task, attempt)), response=answer)
        return made | {"metadata": {"lines_to_read": value(task)}}

    return write(path, [rollout(task, attempt) for task in range(TASKS) for attempt in range(3)])


def lines(task: int) -> int:
    return 300 + task if task < LONG else 20 + task


def steady(task: int, attempt: int) -> bool:
    return (task + attempt) % 3 != 0


def told(first: Path, second: Path) -> str:
    answer = analysed(first, second).investigation.get("gaps_by_value")
    return words(gaps_by_value.tell(answer)) if answer else ""


def test_the_tasks_in_which_a_run_falls_behind_are_told_with_both_sides(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first.jsonl", steady, lines)
    second = run_of(tmp_path / "second.jsonl", lambda task, attempt: task >= LONG and steady(task, attempt), lines)
    assert told(first, second) == (
        "first and second lie 66.7 points apart in the 14 tasks where metadata.lines_to_read is 300 or more (28 of 42 "
        "and 0 of 42 pass), and 0.0 points in the other 34 (68 of 102 and 68 of 102; the cut that parts the tasks "
        "best, tested by dealing the tasks anew and corrected for all values and pairs: p = 0.00025)."
    )


def test_a_value_that_stands_for_a_level_of_a_field_is_left_to_that(tmp_path: Path) -> None:
    def passes(task: int, attempt: int) -> bool:
        return task >= LONG and steady(task, attempt)

    paths = [run_of(tmp_path / "first.jsonl", steady, lines), run_of(tmp_path / "second.jsonl", passes, lines)]
    assert told(*paths)
    for path in paths:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for made in rows:
            made["metadata"]["kind"] = (
                "book" if made["_ng_task_index"] < LONG else "leaf" if made["_ng_task_index"] % 2 else "note"
            )
        write(path, rows)
    assert told(*paths) == ""


def test_a_distance_that_is_the_same_everywhere_follows_nothing(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first.jsonl", steady, lines)
    second = run_of(tmp_path / "second.jsonl", lambda task, attempt: attempt == 0 and steady(task, attempt), lines)
    assert told(first, second) == ""


def test_values_that_have_nothing_to_do_with_it_are_not_told(tmp_path: Path) -> None:
    chance = random.Random(5)
    drawn = {task: chance.randrange(1000) for task in range(TASKS)}
    lost = {task: chance.random() < 0.3 for task in range(TASKS)}
    first = run_of(tmp_path / "first.jsonl", steady, drawn.__getitem__)
    second = run_of(
        tmp_path / "second.jsonl", lambda task, attempt: not lost[task] and steady(task, attempt), drawn.__getitem__
    )
    assert told(first, second) == ""


def test_the_best_cut_is_where_the_numbers_change_and_its_p_counts_all_cuts() -> None:
    values, numbers = [*range(40)], [0.0] * 30 + [1.0] * 10
    cut = best_cut(values, numbers, 5)
    assert cut is not None
    assert (cut.below, round(cut.p, 5)) == (30, 0.00025)
    assert best_cut(values, [0.5] * 40, 5) is None
    assert best_cut([7] * 40, numbers, 5) is None, "equal values stay together"
    assert best_cut(values[:8], numbers[:8], 5) is None, "each side has five"


def test_the_best_of_many_cuts_through_noise_is_sure_only_as_often_as_it_says() -> None:
    chance = random.Random(3)
    sure = 0
    for _ in range(200):
        cut = best_cut([*range(30)], [float(chance.randrange(3)) for _ in range(30)], 5)
        sure += cut is not None and cut.p <= 0.05
    assert sure <= 16
