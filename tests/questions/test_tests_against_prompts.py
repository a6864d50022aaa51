"""Tests that want another value than the text of their task gives for the same call."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, request, write
from tests.questions.made_cases import said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.prompt_expectations import prompt_expectation
from blade.questions import tests_against_prompts

PROMPT = "round_up(2.345) gives 2.34. **Expected:** `'2.35'`. Please repair it."
LOG = "test_issue\n    assert round_up(2.345) == '2.34'\nE   assert '2.35' == '2.34'\n1 failed"


def rollout(task: int, log: str, *, passed: bool, prompt: str = PROMPT) -> Json:
    asked = request(f"Task {task}: {prompt}")
    return task_row(task, said(f"Done {task}."), passed=passed, grading={"log": log}, responses_create_params=asked)


def attempts(task: int, log: str) -> list[Json]:
    return [rollout(task, log, passed=False) | {"_ng_rollout_index": attempt} for attempt in range(3)]


def test_tasks_whose_test_denies_their_own_text_are_told(tmp_path: Path) -> None:
    rows = [*attempts(0, LOG), *(rollout(task, "3 passed", passed=task < 8) for task in range(1, 11))]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["tests_against_prompts"]
    assert words(tests_against_prompts.tell(answer)) == (
        "In 1 task (0) the test wants another value than the task's own text gives for the same call (in 0 "
        "round_up(2.345) shall be 2.35, and the test wants 2.34): 3 rollouts that do as the text says fail.\n"
        "Task | The call | Its test wants | Its text says | >do as the text says | >judged | >passes\n"
        "0 | round_up(2.345) | 2.34 | 2.35 | 3 | 3 | 0\n"
        "Without this task one passes 7 of 10 (70.0%)."
    )
    assert next(tests_against_prompts.brief(answer)).text.startswith("In 1 task (0) the test wants another value")
    assert tests_against_prompts.faults(answer)["0"].reason == "its test wants 2.34 of round_up(2.345), its text 2.35"
    (advice,) = tests_against_prompts.advise(answer)
    assert advice.because.text == "3 rollouts in 1 task do as the text says, and fail."
    (item,) = tests_against_prompts.health(answer)
    assert (item["check"], item["tasks"]) == ("suspect_gold", ["0"])


def test_one_rollout_alone_accuses_no_test(tmp_path: Path) -> None:
    rows = [rollout(0, LOG, passed=False), *(rollout(task, "3 passed", passed=task < 8) for task in range(1, 11))]
    assert "tests_against_prompts" not in analysed(write(tmp_path / "one.jsonl", rows)).investigation


@pytest.mark.parametrize(
    ("prompt", "log"),
    [
        ("`round_up(2.345)` should be '2.34', today we get '2.35'", LOG),  # the fault is still there
        ("expected '2.35' of round_down(2.345)", LOG),  # another call
        ("round_up(2.345) is wrong", LOG),  # the text names no value
        (PROMPT, LOG.replace("assert '2.35'", "assert '2.36'")),  # another result than the text gives
        ("expected '2.34' or expected '2.35' of round_up(2.345)", LOG),  # it names both
    ],
)
def test_a_test_is_not_accused_where_the_text_may_agree_with_it(prompt: str, log: str) -> None:
    found = prompt_expectation(Attempt(rollout(0, log, passed=False, prompt=prompt)))
    assert found == {}


@pytest.mark.parametrize(
    "log",
    [
        'expect(round_up(2.345))\nExpected: "2.34"\nReceived: "2.35"',
        "Failure: expect(round_up(2.345))\n   expected: '2.34'\n        got: '2.35'",
        "assertion `left == right` failed: round_up(2.345)\n  left: '2.35'\n right: '2.34'",
        "hidden_test.go:7: round_up(2.345) = '2.35', want '2.34'",
        "round_up(2.345)\nexpected: <'2.34'> but was: <'2.35'>",
    ],
)
def test_comparisons_are_read_as_test_programs_of_many_languages_write_them(log: str) -> None:
    found = prompt_expectation(Attempt(rollout(0, log, passed=False)))
    assert found == {"against_prompt": ["round_up(2.345)", "2.34", "2.35"]}
