"""Which rollouts left no trace, one by one."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write
from tests.questions.made_cases import words

from blade.sections import denominator
from blade.stats.weighted_draws import weight_p


def test_missing_rollouts_are_named_by_their_tasks(tmp_path: Path) -> None:
    lost = {(1, 2), (4, 0), (4, 3)}
    rows = [
        row(task, attempt, float(task % 2)) for task in range(6) for attempt in range(4) if (task, attempt) not in lost
    ]
    told = words(denominator.build(analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")))
    assert "Missing without a trace: 3 rollouts in run (1 of task 1 and 2 of task 4)." in told


def test_nothing_is_named_where_nothing_is_missing(tmp_path: Path) -> None:
    rows = [row(task, attempt) for task in range(6) for attempt in range(2)]
    assert "Missing without" not in words(denominator.build(analysed(write(tmp_path / "run.jsonl", rows))))


def test_the_run_that_lost_most_is_told_first_and_where_the_losses_lie(tmp_path: Path) -> None:
    """Two runs lose seven rollouts at tasks 0 to 3, which are hard like one more: five of forty tasks."""
    paths = []
    for name, lost in {"few": {(0, 1): 1}, "most": {(0, 0), (1, 1), (1, 2), (2, 3), (3, 0), (3, 1)}}.items():
        rows = [
            row(task, attempt, float(task % 2), metadata={"difficulty": "hard" if task < 5 else "easy"})
            for task in range(40)
            for attempt in range(4)
            if (task, attempt) not in lost
        ]
        paths.append(f"{name}={write(tmp_path / f'{name}.jsonl', rows)}")
    told = words(denominator.build(analysed(*paths)))
    assert (
        "Missing without a trace: 6 rollouts in most (1 of task 0, 2 of task 1, 1 of task 2 and 2 of task 3) and 1 in "
        "few (1 of task 0). 7 of the 7 missing rollouts lie where metadata.difficulty is hard, 5 of all 40 tasks "
        "(exact test over tasks, corrected for all parts, p = " in told
    )


def test_losses_at_a_single_task_lie_nowhere_in_particular(tmp_path: Path) -> None:
    rows = [
        row(task, attempt, float(task % 2), metadata={"difficulty": "hard" if task < 5 else "easy"})
        for task in range(40)
        for attempt in range(8)
        if task or attempt < 2
    ]
    told = words(denominator.build(analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")))
    assert "Missing without a trace: 6 rollouts in run (6 of task 0)." in told
    assert "no fair sample" not in told


def test_the_chance_of_so_much_weight_in_a_part() -> None:
    assert weight_p([1], 1, 5, 20) == 0.25
    assert weight_p([1, 1], 2, 2, 4) == 1 / 6
    assert weight_p([3, 1], 3, 2, 4) == 0.5
    assert weight_p([2, 2], 0, 2, 4) == 1.0
