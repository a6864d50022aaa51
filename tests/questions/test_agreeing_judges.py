"""Judges who say that answer and key agree and rule otherwise, in records of any verifier."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.questions import judge_words

NAMES = ("Anna Falk", "Bo Strand", "Cy Moreno", "Dora Ahlberg", "Edwin Katz", "Fay Lindholm", "Gus Petrov", "Hal Quist")


def rollout(task: int, grounds: str, reward: float) -> Json:
    panel = {"mark": "C" if reward else "I", "grounds": grounds}
    return row(task, reward=reward, scoring={"route": "panel", "panel": panel})


def test_words_of_agreement_beside_a_denial_are_told(tmp_path: Path) -> None:
    agreeing = [
        rollout(0, "The response gives Anna Falk and the reference is Anna Falk; the two agree on all.", 0.0),
        rollout(1, "Reference: Bo Strand. Given: Bo Strand. They are the same fact stated in another way.", 0.0),
        rollout(2, "The submitted value equals the reference (Cy Moreno). Formatting differs only slightly.", 0.0),
    ]
    others = [
        rollout(
            task, f"The response {NAMES[task]} contradicts the reference {NAMES[task - 1]}, who was the first.", 0.0
        )
        for task in range(3, 6)
    ]
    others += [
        rollout(task, f"Both name {NAMES[task]} as the one who was asked for; the reference does so, too.", 1.0)
        for task in range(6, 8)
    ]
    answer = analysed(f"run={write(tmp_path / 'run.jsonl', agreeing + others)}").investigation["judge_words"]
    assert [entry["task"] for entry in answer["denied"]] == ["0", "1", "2"]
    assert words(judge_words.tell(answer)).startswith(
        "In 3 rollouts (tasks 0, 1 and 2) the judge says that the answer equals the key and gives less than the full "
        "score, as in 0 (0): “The response gives Anna Falk and the reference is Anna Falk; the two agree on all.”"
    )
    assert not answer["granted"]
