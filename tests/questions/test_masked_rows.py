"""Rollouts that their own run marks as not to be used."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write
from tests.questions.made_cases import words

from blade.questions import masked_rows


def test_marked_rollouts_are_told_with_the_score_without_them_wherever_the_mark_stands(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task < 6), instance_config={"mask_sample": task in {5, 8, 9}}) for task in range(10)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["masked_rows"]
    text = words(masked_rows.tell(answer))
    assert (
        "The run marks 3 judged rollouts of one as not to be used (“instance_config.mask_sample” is true; tasks 5, 8 "
        "and 9): 1 of them passes; without them it is 5 of 7 (71.4%). The score counts them." in text
    ), text
    assert len(list(masked_rows.brief(answer))) == 1


def test_a_mark_that_is_never_set_is_not_told(tmp_path: Path) -> None:
    rows = [row(task, reward=float(task % 2), mask_sample=False, input_mask=True) for task in range(10)]
    assert "masked_rows" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
