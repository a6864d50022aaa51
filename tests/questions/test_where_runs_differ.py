"""The tasks and the part of a benchmark that hold the difference of two runs, and what one run alone fails."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import words

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
