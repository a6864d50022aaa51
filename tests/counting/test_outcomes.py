"""A letter per attempt stands where its attempt does."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, given, row, write


def letters(path: Path) -> list[str]:
    analysis = analysed(path)
    (run,) = analysis.runs
    return [task.runs[run.name].outcomes for task in analysis.tasks]


def test_passes_fails_and_missing_attempts_stand_at_their_places(tmp_path: Path) -> None:
    rows = [row(0, 0, 1.0), row(0, 2, 0.0), row(1, 0, 0.0), row(1, 1, 1.0), row(1, 2, 1.0)]
    write(tmp_path / "rollouts.jsonl", rows)
    write(
        tmp_path / "rollouts_materialized_inputs.jsonl",
        [given(task, attempt) for task in (0, 1) for attempt in range(3)],
    )
    assert letters(tmp_path) == ["pmf", "fpp"]


def test_a_copy_is_no_attempt(tmp_path: Path) -> None:
    write(tmp_path / "rollouts.jsonl", [row(0, 0, 1.0), row(0, 0, 1.0), row(0, 1, 0.0)])
    assert letters(tmp_path) == ["pf"]


def test_without_a_pass_rule_an_attempt_is_graded(tmp_path: Path) -> None:
    write(tmp_path / "rollouts.jsonl", [row(0, 0, 0.4), row(0, 1, 0.7), row(1, 0, 0.1), row(1, 1, 0.3)])
    assert letters(tmp_path) == ["gg", "gg"]
