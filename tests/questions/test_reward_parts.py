"""The scores behind a reward: which never vary, and the one that moves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import reward_parts


def _row(task: int, reward: float, **scores: Any) -> Json:
    return row(task, reward=reward, expected_answer=None, extracted_answer=None, verifier={"scores": scores})


def test_the_score_that_alone_moves_the_reward_is_told(tmp_path: Path) -> None:
    rows = [
        _row(task, 1.5 + 0.25 * (task % 3), right=1.0, form=1.0, sure=0.5 + 0.25 * (task % 3), num_turns=1)
        for task in range(12)
    ]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["reward_parts"]
    (head,) = reward_parts.brief(answer)
    assert head.text == (
        "Of the scores in verifier.scores of one form (1) and right (1) are the same in all 12 rollouts; sure alone "
        "varies, from 0.5 to 1, and the reward with it, from 1.5 to 2: differences of this score tell of nothing else."
    )
    assert head.text in words(reward_parts.tell(answer))


def test_a_reward_that_two_scores_move_is_left_alone(tmp_path: Path) -> None:
    rows = [
        _row(task, task % 2 + 0.5 * (task % 3), right=float(task % 2), form=0.5 * (task % 3), kind=1.0)
        for task in range(12)
    ]
    assert "reward_parts" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


def test_a_score_that_the_reward_does_not_follow_is_left_alone(tmp_path: Path) -> None:
    rows = [_row(task, float(task % 2), right=1.0, speed=0.1 * (task % 5)) for task in range(12)]
    assert "reward_parts" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation
