"""A limit at which every failure ends, as attempts stop only by passing, is no cause of a change."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called

from blade.document import Bullets
from blade.model import Analysis
from blade.sections import executive_summary

TASKS = 40
LIMIT = 6


def rollout(task: int, *, passed: bool, blocked: bool) -> Json:
    """Passes after two calls; fails at the limit, or earlier where something else ends it."""
    calls = 2 if passed or blocked else LIMIT
    items = [item for place in range(calls) for item in called("run", {"line": f"try {task} {place}"}, f"out {place}")]
    counts = {"turns_taken": calls, "turns_max": LIMIT}
    return row(
        task,
        reward=float(passed),
        response={"id": "r", "model": "m", "output": items},
        metadata=counts,
        expected_answer=None,
        extracted_answer=None,
    )


def compared(folder: Path) -> Analysis:
    weak = [rollout(task, passed=task < 10, blocked=task >= 16) for task in range(TASKS)]
    strong = [rollout(task, passed=task < 28, blocked=False) for task in range(TASKS)]
    return analysed(write(folder / "weak.jsonl", weak), write(folder / "strong.jsonl", strong))


def test_no_points_are_given_to_a_limit_that_only_a_pass_comes_before(tmp_path: Path) -> None:
    found = compared(tmp_path)
    (change,) = found.changes
    assert not [part for part in change.parts if part.cause == "truncation"]
    assert {mode.id: mode.runs["strong"]["rollouts"] for mode in found.modes}["limit_spent"] == 12
    assert all("BI" not in label.labels for label in found.labels)


def test_such_rollouts_are_not_abnormal_and_share_no_abort(tmp_path: Path) -> None:
    found = compared(tmp_path)
    assert "recurring_aborts" not in found.investigation
    told = " ".join(
        sentence.text
        for block in executive_summary.build(found)
        if isinstance(block, Bullets)
        for item in block.items
        for sentence in item.sentences
    )
    assert "12 rollouts end at the limit, as failures do where only a pass ends an attempt earlier." in told
    assert "abnormal" not in told
