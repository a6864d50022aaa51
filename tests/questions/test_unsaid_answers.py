"""Failures whose changes are all right and that never say an expected answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, write
from tests.questions.made_cases import called, said, task_row, user, words

from blade.extract.attempt import Attempt
from blade.extract.unsaid import unsaid
from blade.questions import unsaid_answers

KEY = {"expected_actions": [{"name": "close_shop", "arguments": {"shop": "s1"}}], "expected_outputs": ["10"]}
ASKS = user("How many lamp options are available right now?")
DONE = called("close_shop", {"shop": "s1"}, "ok")


def rollout(text: str, *, passed: bool = False, task: int = 0, change: bool = True) -> Json:
    return task_row(task, ASKS, said(text), DONE if change else [], said("Done."), passed=passed, verifier=KEY)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Let me see. We have 12 lamp options available.", [["10", "We have 12 lamp options available."]]),
        (
            "No lamp is blue. Of those options 12 lamp options are available.",
            [["10", "No lamp is blue. Of those options 12 lamp options are available."]],
        ),
        ("We have 10 lamp options available.", None),
        ("The shop opens at 9.", [["10", ""]]),  # shares no word with the question
        ("The lamp options available start at 12.50 dollars.", [["10", ""]]),  # no whole number
    ],
)
def test_the_sentence_in_place_of_an_answer(text: str, found: list[list[str]] | None) -> None:
    assert unsaid(Attempt(rollout(text))).get("unsaid") == found


def test_they_are_told_by_task_with_what_is_said_instead(tmp_path: Path) -> None:
    wrong = "We have 12 lamp options available."
    lines = [
        rollout(wrong, task=3),
        rollout(wrong, task=4, change=False),
        rollout("We have 10 lamp options available.", task=5, passed=True),
    ]
    answer = analysed(f"run={write(tmp_path / 'rollouts.jsonl', lines)}").investigation["unsaid_answers"]
    assert (answer["rollouts"], [one["task"] for one in answer["tasks"]]) == (1, ["3"]), "4 lacks a change"
    told = words(unsaid_answers.tell(answer))
    assert (
        "In 1 judged failure every expected change was made, but no message of the model contains an expected answer"
        in told
    )
    assert (
        "Task 3: the expected “10” is missing in 1 rollout; 0 of 1 judged rollout pass. Where it was asked for, run "
        "says “We have 12 lamp options available.”." in told
    )
