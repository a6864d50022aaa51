"""Graded rewards without a declared pass: full scores stand for passes where rewards heap at the top of their scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.counting.passing import heap_at_full
from blade.questions import full_scores, graded_rewards

GRADES = (1.0, 1.0, 0.4, 0.0)


def graded(shift: int) -> list[Json]:
    agent = {"name": f"agent {shift}"}
    places = [(task, attempt) for task in range(12) for attempt in range(2)]
    return [row(task, attempt, GRADES[(task + attempt + shift) % 4], agent_ref=agent) for task, attempt in places]


def test_the_investigation_speaks_of_full_scores_where_nothing_says_what_a_pass_is(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", graded(shift)) for name, shift in (("oak", 0), ("elm", 1))]
    analysis = analysed(*paths)
    assert analysis.runs[0].score_threshold is None
    answer = analysis.investigation["full_scores"]
    assert answer["runs"][0] == {"run": "oak", "rollouts": 24, "full": 12, "part": 6, "nothing": 6}
    assert "oak | 24 | 12 (50.0%) | 6 | 6" in words(full_scores.tell(answer))
    assert "a full score (a reward of 1) counts as a pass" in words(full_scores.tell(answer))
    (head,) = full_scores.brief(answer)
    assert head.text.startswith("Scores are means of graded rewards: oak has a full score in 12 of 24 (50.0%); elm")
    assert analysis.investigation["like_for_like"]["pairs"]
    assert "unsolved_tasks" in analysis.investigation


def test_a_declared_pass_is_left_alone(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "oak.jsonl", [one | {"passed": one["reward"] > 0.3} for one in graded(0)]))
    assert analysis.runs[0].score_threshold == pytest.approx(0.4)
    assert "full_scores" not in analysis.investigation


@pytest.mark.parametrize(
    ("rewards", "heaps"),
    [
        ([1.0] * 10 + [0.2, 0.7], True),
        ([1.0] * 9 + [0.2, 0.7], False),
        ([1.0] * 10 + [0.5] * 10, False),
        ([1.0] * 10 + [place / 300 for place in range(100)], False),
        ([1.0] * 20 + [1.5], False),
        ([], False),
    ],
)
def test_rewards_heap_at_full_where_no_other_is_as_common(rewards: list[float], *, heaps: bool) -> None:
    assert heap_at_full(rewards) is heaps


def test_what_answers_beside_the_key_are_given_is_told(tmp_path: Path) -> None:
    def given(task: int, attempt: int) -> Json:
        if attempt == 0:
            return row(task, attempt)
        return row(task, attempt, 0.5 if task < 10 else 0.0, extracted_answer=f"{2 * task}9")

    rows = [given(task, attempt) for task in range(14) for attempt in range(2)]
    answer = analysed(write(tmp_path / "oak.jsonl", rows)).investigation["graded_rewards"]
    (entry,) = answer["wrong"]
    assert (entry["rollouts"], entry["points"]) == (10, round(5 / 28, 4))
    told = words(graded_rewards.tell(answer))
    assert (
        "10 rollouts of oak give another answer than the key and still earn partial reward, 17.9 "
        "points of its mean reward (0, 1, 2, 3, 4, 5, 6, 7, 8 and 9). The most is 0.5, for '"
    ) in told
    assert "oak has a full score in 14 of 28 (50.0%), and its 14 rollouts below it are given" in told
