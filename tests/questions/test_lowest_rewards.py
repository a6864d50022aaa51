"""The tasks with the lowest rewards, where nothing says what a pass is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import lowest_rewards


def _row(task: int, reward: float, **fields: Any) -> Json:
    return row(task, reward=reward, expected_answer=None, extracted_answer=None, **fields)


def asked(tmp_path: Path, rows: list[Json]) -> Json | None:
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation.get("lowest_rewards")
    return dict(answer) if answer else None


def test_tasks_are_told_from_the_lowest_reward_up_with_the_number_that_is_the_reward(tmp_path: Path) -> None:
    rows = [_row(task, 0.9 - task / 20, quality=0.9 - task / 20, language=1.0, parts=task) for task in range(12)]
    answer = asked(tmp_path, rows)
    assert answer is not None
    assert words(lowest_rewards.tell(answer)).startswith(
        "By task, the mean reward of one runs from 0.35 (task 11) to 0.9 (task 0), and the reward is quality in each "
        "of its 12 rollouts; language (1) is the same in all."
    )
    assert answer["shown"] == ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2"]
    (head,) = lowest_rewards.brief(answer)
    assert "0.35 (task 11)" in head.text


def test_few_rows_show_no_number_that_is_the_reward(tmp_path: Path) -> None:
    answer = asked(tmp_path, [_row(task, 0.3 + task / 20, quality=0.3 + task / 20) for task in range(4)])
    assert answer is not None
    assert (answer["runs"][0]["is"], answer["runs"][0]["constant"]) == ("", [])


def test_nothing_is_told_where_a_pass_is_known_or_all_rewards_are_one(tmp_path: Path) -> None:
    assert asked(tmp_path, [_row(task, float(task % 2)) for task in range(12)]) is None
    assert asked(tmp_path, [_row(task, 0.5) for task in range(12)]) is None
