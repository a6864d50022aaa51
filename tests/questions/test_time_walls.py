"""Seconds at which rollouts of many tasks end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import time_walls


def _rows(at_wall: int, tasks: int, *, passing: int = 0, neighbours: int = 0) -> list[Json]:
    """Forty rollouts between 20 and 1,310 seconds, and some at 600."""
    rows = [row(task, 0, float(task % 2), agent_seconds=20.25 + 33 * task) for task in range(40)]
    for number in range(at_wall):
        reward = float(number < passing)
        rows.append(row(number % tasks, 1 + number // tasks, reward, agent_seconds=600 + 0.05 * number))
    near = (
        row(number % tasks, 50 + number // tasks, 0.0, agent_seconds=595.3 + 0.9 * number)
        for number in range(neighbours)
    )
    return [*rows, *near]


def test_rollouts_that_end_at_one_second_are_told_by_run(tmp_path: Path) -> None:
    walled = write(tmp_path / "one.jsonl", _rows(12, 6, passing=1))
    free = write(tmp_path / "two.jsonl", _rows(0, 6))
    answer = analysed(f"one={walled}", f"two={free}").investigation["time_walls"]
    assert answer["walls"] == [600]
    assert words(time_walls.tell(answer)) == (
        "12 rollouts of 6 tasks end within a second of 600 s, hardly any just before or after, as where "
        "time runs out. By run: one 12 of 52 judged (1 passes). Of those that end at other times 40 of 80 pass."
    )


@pytest.mark.parametrize(
    "rows",
    [_rows(9, 6), _rows(12, 2), _rows(12, 6, passing=7), _rows(12, 6, neighbours=14)],
    ids=["too few", "two tasks", "mostly passes", "as many beside it"],
)
def test_without_a_wall_nothing_is_said(rows: list[Json], tmp_path: Path) -> None:
    assert "time_walls" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_where_as_many_pass_as_elsewhere_no_time_ran_out(tmp_path: Path) -> None:
    rows = _rows(12, 6, passing=4)
    assert "time_walls" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
