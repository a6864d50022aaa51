"""Graded rewards without a pass: what rollouts do is held against the reward."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.gym_rows import Json, analysed, response, row, write
from tests.questions.made_cases import called, said, words

from blade.questions import reward_contrasts


def graded(task: int, attempt: int, *, checked: bool, reward: float) -> Json:
    parts = [*called("build", {"at": f"{task}.{attempt}"}, "built"), *(called("check", {}, "fine") if checked else [])]
    return row(
        task,
        attempt,
        reward,
        response=response(*parts, *said(f"Task {task} is done, {attempt}.")),
        expected_answer=None,
        extracted_answer=None,
    )


def rows(gain: float, seed: int = 1) -> list[Json]:
    """Four attempts at each of 20 tasks, two of which check their work."""
    dice = Random(seed)
    return [
        graded(
            task,
            attempt,
            checked=attempt % 2 == 0,
            reward=round(0.2 + 0.3 * dice.random() + gain * (attempt % 2 == 0), 3),
        )
        for task in range(20)
        for attempt in range(4)
    ]


def test_what_goes_with_a_higher_reward_is_told_with_both_means(tmp_path: Path) -> None:
    investigation = analysed(write(tmp_path / "one.jsonl", rows(0.35))).investigation
    assert "full_scores" not in investigation
    answer = investigation["reward_contrasts"]
    first = answer["features"][0]
    assert (first["kind"], first["name"]) == ("call", "check")
    assert (first["with"]["rollouts"], first["with"]["above"], first["without"]["above"]) == (40, 40, 0)
    told = words(reward_contrasts.tell(answer))
    assert "80 judged rollouts are held against the median reward of the attempts at their task" in told
    assert "questions about passes and failures have no answer there" in told
    assert f"calls check | {first['with']['mean']:.3g} (above in 40 of 40) | " in told
    (head,) = reward_contrasts.brief(answer)
    assert head.text.startswith("No pass is declared; what goes most with the reward: “calls check”, mean reward 0.")


def test_rewards_that_nothing_goes_with_and_declared_passes_are_not_told(tmp_path: Path) -> None:
    assert "reward_contrasts" not in analysed(write(tmp_path / "flat.jsonl", rows(0.0))).investigation
    passing = [made | {"passed": made["reward"] > 0.4} for made in rows(0.35)]
    assert "reward_contrasts" not in analysed(write(tmp_path / "declared.jsonl", passing)).investigation


def test_hardly_any_shuffled_reward_goes_with_anything(tmp_path: Path) -> None:
    told = [
        "reward_contrasts" in analysed(write(tmp_path / f"{seed}.jsonl", rows(0.0, seed))).investigation
        for seed in range(2, 12)
    ]
    assert sum(told) == 0
