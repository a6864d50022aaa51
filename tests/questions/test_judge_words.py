"""What a judge says in its own words: of failures, of the key, and against its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.extract.judge_texts import judge_texts
from blade.questions import judge_words, said_of_failures

REASON = "Compared with what was asked, the submission {}. It is task {} and its units are right."


def rollout(task: int, reward: float, said: str) -> Json:
    return row(task, 0, reward, response=response(message(f"Answer {task}."))) | {
        "judge_evaluations": [
            {
                "responses_create_params": {
                    "input": [{"content": "If the answer differs from the expected answer…" * 3}]
                },
                "response": {"output": [{"content": [{"text": REASON.format(said, task)}]}]},
            }
        ]
    }


def asked(tmp_path: Path, rows: Sequence[Json]) -> Json:
    return dict(analysed(write(tmp_path / "run" / "rollouts.jsonl", rows)).investigation)


FINE = [rollout(task, 1.0, f"covers point {chr(97 + task)}{'x' * task}, as it should") for task in range(4)]


def test_verdicts_that_contradict_the_words_of_the_judge(tmp_path: Path) -> None:
    rows = [
        *FINE,
        rollout(10, 1.0, "differs from the expert answer by a sign"),
        rollout(11, 0.0, "gives a result that is identical to the reference answer"),
        rollout(12, 1.0, "is sound, while the reference answer is incorrect"),
    ]
    answer = asked(tmp_path, rows)["judge_words"]
    assert words(judge_words.tell(answer)) == (
        "In 1 rollout (task 10) the judge says that the answer differs from the key and gives the full score: "
        "“Compared with what was asked, the submission differs from the expert answer by a sign.”\n"
        "In 1 rollout (task 11) the judge says that the answer equals the key and gives less than the full score (0): "
        "“Compared with what was asked, the submission gives a result that is identical to the reference answer.”\n"
        "In 1 rollout (task 12) the judge calls the key wrong: “Compared with what was asked, the submission is sound, "
        "while the reference answer is incorrect.” That is its opinion: check these keys."
    )
    assert [advice.kind for advice in judge_words.advise(answer)] == ["verifier", "data"]


@pytest.mark.parametrize(
    ("reward", "said"),
    [
        (0.0, "differs from the expert answer by a sign"),
        (1.0, "is identical to the expert answer"),
        (0.0, "is not identical to the expert answer"),
        (0.0, "partly matches the expert answer"),
        (1.0, "does not contradict the expert answer"),
        (0.0, "would be right if the reference answer is incorrect"),
        (1.0, "differs from the expert answer in form, but the result matches the expert answer"),
    ],
)
def test_words_that_fit_the_verdict_or_are_hedged_are_no_contradiction(
    tmp_path: Path, reward: float, said: str
) -> None:
    assert "judge_words" not in asked(tmp_path, [*FINE, rollout(10, reward, said)])


def test_the_last_words_of_a_fault_stand_for_a_failure(tmp_path: Path) -> None:
    rows = [*FINE, rollout(10, 0.0, "omits the second root"), rollout(11, 0.0, "is wrong about the sign")]
    assert words(said_of_failures.tell(asked(tmp_path, rows)["said_of_failures"])) == (
        "The judge gives reasons; its last words of a fault in 2 of 2 failing tasks:\n"
        "10 (run): “Compared with what was asked, the submission omits the second root.”\n"
        "11 (run): “Compared with what was asked, the submission is wrong about the sign.”"
    )


def test_one_text_with_another_grade_in_it_is_no_reason(tmp_path: Path) -> None:
    rows = [rollout(task, 0.0, "was compared with the expected answer, and lacks it") for task in range(6)]
    assert "said_of_failures" not in asked(tmp_path, rows)


def test_only_the_words_of_a_judge_are_read() -> None:
    long = "The answer omits all that was asked for, and says something else. "
    assert judge_texts({"verifier": {"explanation": long}, "response": {"explanation": long * 2}}) == [long.strip()]
    assert judge_texts({"parsed_output": {"explanation": long}, "judge_prompt": long, "reason": "too short"}) == []


def test_of_a_verdict_in_parts_only_what_was_denied_is_read() -> None:
    praise, fault = (
        f"The step of number {place} {says} what the policy that it was given asks for. "
        for place, says in ((1, "keeps"), (2, "lacks"))
    )
    parts = [{"reward": 1, "explanation": praise}] * 9 + [{"reward": 0, "explanation": fault}]
    assert judge_texts({"judge": parts}) == [fault.strip()], "it stands behind more than are read"
    deeper = [{"index": place, "verification_result": part} for place, part in enumerate(parts)]
    assert judge_texts({"judge": {"messages": deeper}}) == [fault.strip()]
    assert judge_texts({"judge": parts[:9]}) == [praise.strip()], "where nothing was denied, all is read"
