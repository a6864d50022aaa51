"""What one run writes or thinks where it loses what the other runs win."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import called, said, words

from blade.questions import run_habits

TASKS = 24
LOST = 8
"""The first tasks ask for the spread of something."""


def rollout(task: int, attempt: int, *, passed: bool, code: str, thought: str = "") -> Json:
    items = called("python", {"code": f"import numpy as np\nrows = load()\n{code}\nprint(rows)"}, f"value {task}")
    if thought:
        items = [{"type": "reasoning", "summary": [{"type": "summary_text", "text": thought}]}, *items]
    return row(
        task,
        attempt,
        float(passed),
        task_id=f"t{task}",
        response={"id": "r", "model": "m", "output": [*items, *said("Handed in.")]},
        expected_answer=None,
        extracted_answer=None,
    )


def run_of(path: Path, *, lost: str, elsewhere: str, loses: bool, thought: str = "") -> Path:
    rows = [
        rollout(
            task,
            attempt,
            passed=not (loses and task < LOST) and (task + attempt) % 4 > 0,
            code=lost if task < LOST else elsewhere,
            thought=thought if task < LOST else "",
        )
        for task in range(TASKS)
        for attempt in range(3)
    ]
    return write(path, rows)


def told(*paths: Path) -> str:
    answer = analysed(*paths).investigation.get("run_habits")
    return words(run_habits.tell(answer)) if answer else ""


PLAIN = "total = rows.sum(axis=0)"


def test_code_that_only_the_losing_run_writes_is_told_with_the_tasks(tmp_path: Path) -> None:
    bad = run_of(tmp_path / "bad.jsonl", lost="spread = np.std(column)", elsewhere=PLAIN, loses=True)
    good = run_of(tmp_path / "good.jsonl", lost="spread = column.std()", elsewhere=PLAIN, loses=False)
    text = told(bad, good)
    assert (
        " into calls in 24 rollouts of 8 tasks (t0, t1, t2, t3, t4, t5, t6 and t7), none of which passes; the other "
        "runs pass 18 of 24 (75.0%) at these tasks, and none of their 72 rollouts holds it. Without it bad passes 36 "
        "of 48 (75.0%), the others 36 of 48 (75.0%) at the other tasks (exact test within tasks, corrected: p = "
    ) in text, text
    assert text.startswith("bad writes “")
    assert "np.std" in text


def test_what_is_thought_counts_as_well(tmp_path: Path) -> None:
    doubt = "Whoever wrote this wants another value."
    bad = run_of(tmp_path / "bad.jsonl", lost=PLAIN, elsewhere=PLAIN, loses=True, thought=doubt)
    good = run_of(tmp_path / "good.jsonl", lost=PLAIN, elsewhere=PLAIN, loses=False)
    text = told(bad, good)
    assert text.startswith("bad thinks “"), text
    assert "in 24 rollouts of 8 tasks" in text


@pytest.mark.parametrize(
    ("lost", "elsewhere", "loses", "others"),
    [
        ("spread = np.std(column)", PLAIN, False, "spread = column.std()"),
        ("spread = np.std(column)", "spread = np.std(column)", True, "spread = column.std()"),
        ("spread = np.std(column)", PLAIN, True, "spread = np.std(column)"),
    ],
    ids=["no loss there", "its manner everywhere", "the others write it too"],
)
def test_a_manner_alone_is_no_finding(tmp_path: Path, lost: str, elsewhere: str, loses: bool, others: str) -> None:
    bad = run_of(tmp_path / "bad.jsonl", lost=lost, elsewhere=elsewhere, loses=loses)
    good = run_of(tmp_path / "good.jsonl", lost=others, elsewhere=PLAIN, loses=False)
    assert told(bad, good) == ""


def test_one_run_alone_has_nobody_to_fall_behind(tmp_path: Path) -> None:
    assert told(run_of(tmp_path / "bad.jsonl", lost="spread = np.std(column)", elsewhere=PLAIN, loses=True)) == ""
