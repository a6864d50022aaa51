"""Failures that end with an error long before any pass did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import Json, analysed, row, write
from tests.questions.made_cases import words

from blade.counting.durations import agent_seconds
from blade.questions import early_ends

REFUSED = {
    "agent_exit_code": 1,
    "exception": {"class": "AgentExitError", "text": "agent --task roof\nTypeError: Unknown option ' '\nstderr: None"},
}


def timed(task: int, seconds: int, *, passed: bool, **fields: Any) -> Json:
    return row(task, 0, float(passed), agent_seconds=seconds, **fields)


def rows() -> list[Json]:
    """Twelve tasks pass in 100 seconds or more, two fail as slowly; task 14 is refused, 15 gives up at once."""
    made = [timed(task, 100 + task, passed=True) for task in range(12)]
    made += [timed(task, 300, passed=False, **REFUSED) for task in (12, 13)]
    return [*made, timed(14, 16, passed=False, **REFUSED), timed(15, 10, passed=False)]


def test_a_failure_that_an_error_ends_before_any_work_is_told_with_its_error(tmp_path: Path) -> None:
    answer = analysed(f"run={write(tmp_path / 'run.jsonl', rows())}").investigation["early_ends"]
    assert (answer["failures"], answer["passes"], answer["shortest"]) == (1, 12, 100)
    told = words(early_ends.tell(answer))
    assert (
        "1 judged failure ends with an error after less than half of the time that the shortest of 12 passes took (100 "
        "seconds of the agent). It counts as a failure of the model, which hardly worked there" in told
    )
    assert "1 rollout (run 1), after 16 seconds, in 14: “TypeError: Unknown option ' '”." in told


def test_a_quick_failure_without_an_error_is_the_models_and_few_passes_say_nothing(tmp_path: Path) -> None:
    quick = [line for line in rows() if line["_ng_task_index"] != 14]
    assert "early_ends" not in analysed(write(tmp_path / "run.jsonl", quick)).investigation
    few = [line for line in rows() if line["_ng_task_index"] > 4]
    assert "early_ends" not in analysed(write(tmp_path / "few.jsonl", few)).investigation


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({"agent_setup_seconds": 50, "agent_seconds": 20, "verifier_seconds": 90}, 20),
        ({"environment_setup_seconds": 50, "run_seconds": 30}, 30),
        ({"agent_setup_seconds": 50}, 0),
        ({}, 0),
    ],
)
def test_the_set_up_of_the_agent_is_no_work_of_his(fields: Json, seconds: float) -> None:
    assert agent_seconds(fields) == seconds
