"""Rewards that are the best of the steps' scores."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import best_steps


def scored(task: int, scores: list[float], reward: float) -> Json:
    return row(task, reward=reward, verifier={"turn_rewards": scores}, expected_answer=None, extracted_answer=None)


def told(folder: Path, rows: list[Json]) -> str:
    answer = analysed(write(folder / "one.jsonl", rows)).investigation.get("best_steps")
    return words(best_steps.tell(answer)) if answer else ""


def test_rollouts_that_end_below_their_best_step_are_counted(tmp_path: Path) -> None:
    rows = [scored(task, [0.0, 1.0, 0.5] if task < 4 else [0.0, 0.25 * (task % 3)], 1.0) for task in range(12)]
    rows = [{**made, "reward": max(made["verifier"]["turn_rewards"])} for made in rows]
    assert told(tmp_path, rows) == (
        "In one the reward is that of the best step: it equals the largest of “verifier.turn_rewards” in all 12 "
        "rollouts that list it. In 4 of them (0, 1, 2 and 3) the last step scores less: the work got worse again and "
        "was still paid for its best. If the last step counted, the mean reward would be 0.3542 instead of 0.5208."
    )


def test_a_reward_of_the_last_step_and_steps_that_only_rise_are_not_told(tmp_path: Path) -> None:
    falling = [scored(task, [0.0, 1.0, 0.5], 0.5) for task in range(11)] + [scored(11, [0.0, 1.0], 1.0)]
    assert told(tmp_path / "last", falling) == ""
    rising = [scored(task, [0.0, 0.25 * (task % 4)], 0.25 * (task % 4)) for task in range(12)]
    assert told(tmp_path / "rising", rising) == ""
    mixed = [scored(task, [0.0, 0.75, 0.5], 0.75) for task in range(11)] + [scored(11, [0.0, 1.0, 0.25], 0.4)]
    assert told(tmp_path / "mixed", mixed) == "", "one reward is neither the best nor the last"
