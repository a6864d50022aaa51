"""Which rollouts left no trace, one by one."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write
from tests.questions.made_cases import words

from blade.sections import denominator


def test_missing_rollouts_are_named_by_their_tasks(tmp_path: Path) -> None:
    lost = {(1, 2), (4, 0), (4, 3)}
    rows = [
        row(task, attempt, float(task % 2)) for task in range(6) for attempt in range(4) if (task, attempt) not in lost
    ]
    told = words(denominator.build(analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")))
    assert "Missing in run are 1 rollout of task 1 and 2 of task 4." in told


def test_nothing_is_named_where_nothing_is_missing(tmp_path: Path) -> None:
    rows = [row(task, attempt) for task in range(6) for attempt in range(2)]
    assert "Missing in" not in words(denominator.build(analysed(write(tmp_path / "run.jsonl", rows))))
