"""Statements that claim no more than the rows show: shapes, reading, prompts without keys, rewards without a pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, said, task_row, words

from blade.model import Analysis
from blade.sections import dominant_failure_modes, executive_summary, recommendations


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Twelve tasks that expect one change; half of them never see it."""
    rows: list[Json] = []
    for task in range(12):
        key = {"verifier": {"expected_actions": [{"name": "cancel_order", "arguments": {"order_id": f"W{task}"}}]}}
        done = called("cancel_order", {"order_id": f"W{task}"}, "ok") if task % 2 else []
        rows.append(task_row(task, done, said(f"Order {task} is settled."), passed=bool(task % 2), **key))
    return analysed(write(tmp_path_factory.mktemp("shapes") / "rows.jsonl", rows))


def test_the_shape_of_a_failure_lies_nowhere_that_is_known(shapes: Analysis) -> None:
    told = words(dominant_failure_modes.build(shapes))
    assert "missing expected action | unclassified | 6" in told


def test_reading_is_worth_no_points_and_predicts_nothing(shapes: Analysis) -> None:
    first = shapes.interventions[0]
    assert (first.points, first.prediction, first.of) == (None, "", 0)
    told = words(recommendations.build(shapes))
    assert "No estimate of points (reading changes no score; the gain is known afterwards)." in told
    assert "If it works" not in told


def test_tasks_of_one_prompt_without_a_key_are_not_said_to_be_one_task(tmp_path: Path) -> None:
    asked: Json = {"responses_create_params": {"input": [{"role": "user", "content": "Check the same shelf, please."}]}}

    def statement(name: str, **fields: Any) -> str:
        rows = [row(task, reward=1.0, **asked, **fields) for task in range(3)]
        health = analysed(write(tmp_path / name, rows)).health
        return next(str(item["statement"]) for item in health if item["check"] == "repeated_tasks")

    told = statement("bare.jsonl", expected_answer=None, extracted_answer=None)
    assert told.endswith(
        "share their prompt with another task (1 group: 0, 1 and 2): no row shows an expected answer that differs."
    )
    keyed = statement("keyed.jsonl", expected_answer="7", extracted_answer="7")
    assert keyed.endswith(
        "expected answer with another task (1 group: 0, 1 and 2): they are one task counted several times."
    )


def test_rewards_without_a_pass_have_no_failed_rollouts(tmp_path: Path) -> None:
    rows = [row(task, reward=-0.25 * task, expected_answer=None, extracted_answer=None) for task in range(5)]
    analysis = analysed(write(tmp_path / "rows.jsonl", [one | {"reward": one["reward"] - 1} for one in rows]))
    told = words(dominant_failure_modes.build(analysis))
    assert "4 rollouts below its best reward" in told
    assert analysis.modes[0].recoverable["most"] == pytest.approx(0.5)
    assert "failed rollout" not in told


def test_partial_credit_is_held_against_a_full_score(tmp_path: Path) -> None:
    """The best of five low scores is no pass: what it reached is no ceiling of the others."""
    items = [{"criterion": "Names it", "passed": True}, {"criterion": "Says why", "passed": False}]
    fields: Json = {"judge_per_item": items, "expected_answer": None, "extracted_answer": None}
    rows = [row(task, reward=0.1 + 0.02 * task, **fields) for task in range(5)]
    analysis = analysed(write(tmp_path / "rows.jsonl", rows))
    assert "5 rollouts below a full score" in words(dominant_failure_modes.build(analysis))
    assert analysis.modes[0].recoverable["most"] == pytest.approx(0.86)
    assert "failed rollout" not in words(executive_summary.build(analysis))
