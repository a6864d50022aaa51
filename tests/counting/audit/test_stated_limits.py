"""Limits that all rows state, and largest counts at which a few rows stand by chance."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, message, read, request, response, row, write
from tests.questions.made_cases import called

from blade.counting.audit.limits import Limit


def made(task: int, calls: int, *, said: bool, passed: bool, most: int | None = None) -> Json:
    parts = [item for at in range(calls) for item in called("look", {"at": f"{task} {at}"}, f"room {at}")]
    settings = {} if most is None else {"max_tool_calls": most}
    return row(
        task,
        0,
        float(passed),
        responses_create_params=request(f"What is {task}?", **settings),
        response=response(*parts, *([message(f"It is {task}.")] if said else [])),
        expected_answer=None,
        extracted_answer=None,
    )


def limits(path: Path, rows: list[Json]) -> list[Limit]:
    (run,) = read(write(path, rows))
    return [limit for limit, _ in run.reached_limits]


def test_who_stops_on_an_answer_at_the_stated_number_of_calls_was_cut(tmp_path: Path) -> None:
    rows = [made(task, 3 + task % 5, said=True, passed=True, most=8) for task in range(30)]
    rows += [made(task, 8, said=task > 32, passed=task > 32, most=8) for task in range(30, 36)]
    assert limits(tmp_path / "run.jsonl", rows) == [Limit("calls", 8, 3, 0, 33, 33, 3)]


def test_a_limit_that_some_go_beyond_counts_something_else(tmp_path: Path) -> None:
    rows = [made(task, 3 + task % 8, said=True, passed=True, most=8) for task in range(30)]
    rows += [made(task, 8, said=False, passed=False, most=8) for task in range(30, 33)]
    assert limits(tmp_path / "run.jsonl", rows) == []


def test_a_few_long_rollouts_that_end_and_pass_like_the_others_reach_no_limit(tmp_path: Path) -> None:
    """Five make eleven calls each and say something at the end; nobody makes eight, nine or ten."""
    rows = [made(task, 2 + task % 5, said=True, passed=task % 2 == 0) for task in range(60)]
    rows += [made(task, 11, said=True, passed=task > 61) for task in range(60, 65)]
    assert limits(tmp_path / "run.jsonl", rows) == []
    failing = rows[:60] + [made(task, 11, said=True, passed=False) for task in range(60, 65)]
    assert limits(tmp_path / "failing.jsonl", failing) != []
