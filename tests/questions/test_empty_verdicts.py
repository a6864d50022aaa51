"""Failures whose verdict is empty where that of the others is filled."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import said, task_row, words

from blade.questions import empty_verdicts


def _rows(empty: set[int], failing: int = 6) -> list[Json]:
    return [
        task_row(
            task,
            *([said("Step.")] * (5 if task in empty else 1 + task % 3)),
            passed=task >= failing,
            verifier={"reward_info": {} if task in empty else {"database": int(task >= failing)}},
        )
        for task in range(20)
    ]


def test_failures_without_an_evaluation_are_told_with_their_tasks(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one.jsonl", _rows({1, 4}))).investigation["empty_verdicts"]
    text = words(empty_verdicts.tell(answer))
    assert (
        "2 failures have an empty verifier.reward_info, which other rollouts fill: nothing shows that they were "
        "evaluated (one 2 of 20: 1 and 4)." in text
    ), text
    assert text.endswith("Without them one passes 14 of 18 (77.8%).")
    (head,) = empty_verdicts.brief(answer)
    assert head.text == (
        "2 failures stand with no evaluation in the rows (an empty verifier.reward_info); without them one passes 14 "
        "of 18 (77.8%)."
    )
    (found,) = empty_verdicts.health(answer)
    assert (found["check"], found["tasks"]) == ("void_attempts", ["1", "4"])
    assert found["statement"] == "2 failures of one have an empty verifier.reward_info, which others fill."


def test_one_is_told_as_one(tmp_path: Path) -> None:
    text = words(
        empty_verdicts.tell(analysed(write(tmp_path / "one.jsonl", _rows({4}))).investigation["empty_verdicts"])
    )
    assert "1 failure has an empty verifier.reward_info" in text, text
    assert "nothing shows that it was evaluated (one 1 of 20: 4)." in text, text


def test_a_field_that_is_mostly_empty_says_nothing(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "one.jsonl", _rows(set(range(6)))))
    assert "empty_verdicts" not in analysis.investigation


def test_a_field_that_no_other_row_fills_says_nothing(tmp_path: Path) -> None:
    rows = _rows(set())
    for row in rows:
        row["verifier"]["reward_info"] = {} if row["_ng_task_index"] == 1 else {"database": 1}
        if row["_ng_task_index"] != 1:
            del row["verifier"]["reward_info"]
    assert "empty_verdicts" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
