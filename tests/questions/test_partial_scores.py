"""Scores that stand on the rows of some tasks only, and failures that have them perfect."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write
from tests.questions.made_cases import words

from blade.questions import partial_scores
from blade.translate.rollout_row import NOT_IN_THE_REWARD


def test_failures_with_a_perfect_part(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2), info={"r_outputs": 1.0}) for task in range(6)]
    rows += [row(task, 0, float(task % 2), info={"r_actions": float(task % 2)}) for task in range(6, 14)]
    answer = analysed(write(tmp_path / "run.jsonl", rows)).investigation["partial_scores"]
    (field,) = answer["fields"]
    assert (field["field"], field["tasks"], field["of"], field["never_with"]) == (
        "info.r_outputs",
        6,
        14,
        ["info.r_actions"],
    )
    assert [(one["failures"], one["perfect"]) for one in field["runs"]] == [(3, 3)]
    assert words(partial_scores.tell(answer)).startswith(
        "The verifier records info.r_outputs for 6 of 14 tasks only; info.r_actions is never recorded on the same "
        "rows, so it is unknown there. Failures whose r_outputs is perfect (1)"
    )


def test_a_part_that_all_tasks_have_is_not_told(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2), info={"r_outputs": 1.0}) for task in range(14)]
    assert "partial_scores" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


def test_what_came_with_the_task_is_not_said_to_be_the_verifiers(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2), metadata={"surveyor_agreed": 1.0}) for task in range(6)]
    rows += [row(task, 0, float(task % 2), metadata={}) for task in range(6, 14)]
    assert "partial_scores" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation


def test_what_the_verdict_does_not_rest_on_explains_no_failure(tmp_path: Path) -> None:
    beside = {NOT_IN_THE_REWARD: {"action_checks": 1.0}}
    rows = [row(task, 0, float(task % 2), verifier=beside if task < 6 else {}) for task in range(14)]
    assert "partial_scores" not in analysed(write(tmp_path / "run.jsonl", rows)).investigation
