"""Passes in which the change that the key lists was never made."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, words

from blade.questions import needless_changes


def _row(task: int, *, acts: bool, passed: bool, answer: str = "ok") -> Json:
    number = f"#W{task}55555"
    key = {"verifier": {"expected_actions": [{"name": "cancel_order", "arguments": {"order_id": number}}]}}
    done = [called("cancel_order", {"order_id": number}, answer)] if acts else []
    look = called("get_order", {"order_id": number}, {"order_id": number, "status": "open"})
    return task_row(task, look, *done, said("Done."), passed=passed, **key)


def test_tasks_that_pass_without_the_change_are_told_with_the_scores_without_them(tmp_path: Path) -> None:
    first = [_row(task, acts=task < 8, passed=True) for task in range(10)]
    second = [_row(task, acts=task < 5, passed=task < 5 or task == 9) for task in range(10)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("one", first), ("two", second))]
    answer = analysed(*paths).investigation["needless_changes"]
    told = words(needless_changes.tell(answer))
    assert told == (
        "3 passes make no change that was accepted, though the key lists one (one 2 and two 1; tasks 8 and 9): what is "
        "asked for there holds from the start, or nothing checks it. Without these tasks one passes 8 of 8 (10 of 10 "
        "with them); two passes 5 of 8 (6 of 10 with them)."
    )
    assert [sentence.text for sentence in needless_changes.brief(answer)] == [told]
    (step,) = needless_changes.advise(answer)
    assert (step.rollouts, step.before_scores, step.because.text) == (3, True, "3 such passes: tasks 8 and 9.")


def test_changes_that_the_environment_refuses_are_none_that_somebody_left_out(tmp_path: Path) -> None:
    rows = [_row(task, acts=True, passed=True) for task in range(6)]
    rows += [_row(task, acts=True, passed=True, answer="Error: too late") for task in (6, 7)]
    assert "needless_changes" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
