"""The course of the steps: where it is recorded, and whether it differs between outcomes or runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import called, words

from blade.extract.attempt import Attempt
from blade.extract.telemetry import telemetry
from blade.questions import step_by_step


def _row(task: int, *, passed: bool, prompts: Sequence[int] = (), output: int = 50, empty: bool = False) -> Json:
    items = [*called("look", {"at": task}, "a door"), *([message("")] if empty else []), message("Done, I think.")]
    items[2:2] = [message("Go on.", "user")]
    if empty:
        items.insert(-1, message("And?", "user"))
    steps = [{"source": "agent", "metrics": {"prompt_tokens": one, "completion_tokens": output}} for one in prompts]
    return row(
        task,
        reward=float(passed),
        response=response(*items),
        trajectory={"steps": steps} if steps else None,
        expected_answer=None,
        extracted_answer=None,
    )


@pytest.mark.parametrize(
    ("fields", "kind", "course"),
    [
        ({"steps": [{"metrics": {"prompt_tokens": many}} for many in (10, 20, 5)]}, "prompt", [3, 1, 10, 10, 5]),
        ({"usage": {"details": {"input_tokens_per_turn": [10, 20, 30]}}}, "prompt", [3, 0, 20, 10, 30]),
        ({"agent": {"api_request_times_msec": [1000, 2000, 4000, 3000]}}, "time", [4, 0, 3, 1, 3]),
        (
            {"log": [{"timestamp": f"2026-01-01T00:00:{second:02}"} for second in (0, 2, 4, 9)]},
            "time",
            [3, 0, 2, 2, 5],
        ),
        (
            {
                "messages": [
                    {"role": role, "usage": {"completion_tokens": many}}
                    for role, many in (("user", 900), *(("assistant", one) for one in (7, 8, 9)))
                ]
            },
            "output",
            [3, 0, 8, 7, 9],
        ),
    ],
)
def test_courses_are_found_wherever_a_row_keeps_them(fields: Json, kind: str, course: Sequence[float]) -> None:
    assert telemetry(Attempt(row(0, **fields)))["steps"] == {kind: course}


def test_tokens_of_a_judge_and_of_the_request_are_no_course_of_the_model() -> None:
    judged = [{"response": {"usage": {"input_tokens": one}}} for one in (5, 6, 7)]
    asked = {"input": [], "steps": [{"prompt_tokens": one} for one in (5, 6, 7)]}
    assert telemetry(Attempt(row(0, judge_evaluations=judged, responses_create_params=asked))) == {}


def test_prompts_that_shrink_and_go_with_failing_are_told_with_both_counts(tmp_path: Path) -> None:
    rows = [_row(task, passed=True, prompts=(100, 200, 300)) for task in range(20)]
    rows += [_row(task, passed=task < 22, prompts=(100, 300, 120)) for task in range(20, 34)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["step_by_step"]
    told = words(step_by_step.tell(answer))
    assert (
        "In 14 of 34 rollouts the prompt becomes much shorter from one step to the next (the context was cut or summed "
        "up): one 14 of 34 (2 of 14 pass, of the others 20 of 20)" in told
    )
    assert "It goes with the outcome (p = " in told


def test_runs_that_write_more_per_step_are_told_apart(tmp_path: Path) -> None:
    old, new = (
        [_row(task, passed=task % 2 == 0, prompts=(9, 10, 11), output=output + task % 5) for task in range(24)]
        for output in (50, 200)
    )
    analysis = analysed(write(tmp_path / "old.jsonl", old), write(tmp_path / "new.jsonl", new))
    told = words(step_by_step.tell(analysis.investigation["step_by_step"]))
    assert "Output tokens per step, in the median of rollouts: new 202 and old 52." in told
    assert "The runs differ in it beyond chance" in told
    assert "outcome" not in told


def test_empty_turns_are_counted_and_silence_is_kept_where_nothing_differs(tmp_path: Path) -> None:
    rows = [_row(task, passed=task < 20, empty=task >= 20) for task in range(30)]
    answer = analysed(write(tmp_path / "one.jsonl", rows)).investigation["step_by_step"]
    assert [one["name"] for one in answer["findings"]] == ["empty_turns"]
    assert "In 10 of 30 rollouts a turn of the model is empty: no words, no call" in words(step_by_step.tell(answer))
    alike = [_row(task, passed=task % 2 == 0, empty=task % 3 == 0) for task in range(30)]
    assert "step_by_step" not in analysed(write(tmp_path / "two.jsonl", alike)).investigation
