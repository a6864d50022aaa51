"""The tasks and the part of a benchmark that hold the difference of two runs, and what one run alone fails."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import case, run_of, words

from blade.questions import where_runs_differ


def _row(task: int, attempt: int, passed: bool, model: str, house: str) -> Json:
    return row(
        task,
        attempt,
        float(passed),
        response=response(model=model),
        expected_answer=None,
        extracted_answer=None,
        metadata={"house": house},
    )


def _told(tmp_path: Path, **passes: dict[int, list[bool]]) -> str:
    paths = []
    for name, tasks in passes.items():
        rows = [
            _row(task, attempt, passed, name, "barn" if task % 2 else "mill")
            for task, attempts in tasks.items()
            for attempt, passed in enumerate(attempts)
        ]
        paths.append(f"{name}={write(tmp_path / f'{name}.jsonl', rows)}")
    return words(where_runs_differ.tell(analysed(*paths).investigation["where_runs_differ"]))


def test_tasks_with_repeats_are_told_with_both_counts(tmp_path: Path) -> None:
    alike = {task: [True, False, True] for task in range(8)}
    text = _told(
        tmp_path, old=alike | {8: [True] * 3, 9: [False] * 3}, new=alike | {8: [False] * 3, 9: [True, True, False]}
    )
    assert "passes far more often than new in 8 (3 of 3 against 0 of 3)." in text, text
    assert "passes far more often than old in 9 (2 of 3 against 0 of 3)." in text


def test_the_part_with_most_of_a_proven_difference_is_told(tmp_path: Path) -> None:
    base = {task: [task % 4 < 2] for task in range(60)}
    better = base | {task: [True] for task in range(3, 40, 4)} | {2: [True], 0: [False]}
    text = _told(tmp_path, old=base, new=better)
    assert (
        "Of 11 tasks that new passes more often than old 10 lie in metadata.house=barn (30 of 60 tasks), and of 1 the "
        "other way 0." in text
    ), text


def test_what_one_run_alone_fails_is_named(tmp_path: Path) -> None:
    passes = {task: [True] for task in range(9)}
    text = _told(tmp_path, old=passes, new=passes | {4: [False]}, third=passes | {7: [False], 8: [False]})
    assert "Passed by every other run and never by this one: new 1 (4) and third 2 (7 and 8)." in text


def test_a_part_in_which_two_runs_lie_apart_is_told_though_the_runs_do_not_differ_as_a_whole(tmp_path: Path) -> None:
    base = {task: [task % 4 < 2] * 3 for task in range(40)}
    in_barns = {task: [False] * 3 for task in range(1, 40, 4)}
    in_mills = {task: [True, False, False] for task in range(2, 40, 4)}
    text = _told(tmp_path, old=base, new=base | in_barns | in_mills)
    assert (
        "Where metadata.house is barn (20 tasks), old passes 30 of 60 and new 0 of 60; elsewhere they pass 30 of 60 "
        "and 40 of 60 (exact test inside the part p = " in text
    ), text
    assert "house is mill" not in text


def test_outcomes_dealt_out_by_chance_set_no_part_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    halves = {str(task): {"half": str(task // 20)} for task in range(40)}
    monkeypatch.setattr(where_runs_differ, "task_levels", lambda _: halves)
    chance = random.Random(5)
    claims = 0
    for _ in range(100):
        tasks = []
        for task in range(40):
            rate = chance.random()
            left, right = ([case(task, passed=chance.random() < rate) for _ in range(3)] for _ in range(2))
            tasks.append((left, right))
        claims += bool(where_runs_differ.parts_apart(run_of("one", []), tasks))
    assert claims <= 3


def test_one_run_that_is_better_everywhere_is_not_better_in_one_of_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)
    claims = 0
    for _ in range(60):
        levels = {str(task): {f"field {n}": str(chance.randrange(3)) for n in range(6)} for task in range(60)}
        monkeypatch.setattr(where_runs_differ, "task_levels", lambda _, levels=levels: levels)
        tasks = [
            (
                [case(task, passed=chance.random() < 0.6) for _ in range(2)],
                [case(task, passed=chance.random() < 0.3) for _ in range(2)],
            )
            for task in range(60)
        ]
        claims += bool(where_runs_differ.parts_apart(run_of("one", []), tasks))
    assert claims <= 6


def test_two_opposite_differences_are_told_and_stand_on_the_first_screen(tmp_path: Path) -> None:
    odd = [task for task in range(120) if task % 2]
    old = {task: [task % 2 == 0 or task in odd[:5]] for task in range(120)}
    new = {task: [(task % 2 == 1 and task in odd[:40]) or (task % 2 == 0 and task < 70)] for task in range(120)}
    text = _told(tmp_path, old=old, new=new)
    assert (
        "Two opposite differences stand behind the scores: where metadata.house is barn (60 tasks), new is ahead in 35 "
        "and old in 0 (p = " in text
    ), text
    assert "everywhere else old is ahead in 25 and new in 0 (p = " in text


def test_a_difference_of_one_direction_is_no_opposite(tmp_path: Path) -> None:
    old = {task: [True] for task in range(120)}
    new = {task: [task % 2 == 0 or task < 60] for task in range(120)}
    assert "opposite" not in _told(tmp_path, old=old, new=new)
