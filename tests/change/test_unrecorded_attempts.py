"""An attempt whose transcript was not kept is not said to have stopped at the start, or to have made no call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.sections import sometimes_pass_deep_dives


def _worked(task: int, attempt: int, passed: bool) -> Json:
    call = {"type": "function_call", "call_id": "c", "name": "bash", "arguments": json.dumps({"command": "make"})}
    done = response(call, {"type": "function_call_output", "call_id": "c", "output": "ok"}, message("Done."))
    return row(task, attempt, float(passed), response=done)


@pytest.mark.parametrize("kept", [True, False])
def test_attempts_without_a_record_are_left_out(kept: bool, tmp_path: Path) -> None:
    """Passes without a record show that records are lost; silent failures alone may be attempts that did nothing."""
    rows = [_worked(task, attempt, passed=False) for task in range(10) for attempt in range(2)]
    rows += [row(task, 2, float(not kept), response=response()) for task in range(10)]
    rows += [_worked(task, 3, passed=True) for task in range(10)]
    (found,) = analysed(write(tmp_path / "run.jsonl", rows)).contrasts
    features = {item["feature"] for item in found["features"]}
    assert ("calls bash" in features) is kept
    assert any(not branch["action"] for one in found["divergences"] for branch in one["branches"]) is kept


def test_too_few_records_are_the_reason_that_nothing_is_tested(tmp_path: Path) -> None:
    """Nine tasks and 36 rollouts are enough, were not half of them without a record."""
    rows = [_worked(task, attempt, passed=False) for task in range(9) for attempt in range(2)]
    rows[0] = row(0, 0, 0.0, response=response(message("No.")))
    rows += [row(task, 2, 1.0, response=response()) for task in range(9)]
    rows += [_worked(task, 3, passed=True) if task < 7 else row(task, 3, 1.0, response=response()) for task in range(9)]
    analysis = analysed(write(tmp_path / "run.jsonl", rows))
    told = words(sometimes_pass_deep_dives.build(analysis))
    assert analysis.contrasts[0]["tested"] == 0
    assert (
        "What the attempts did is recorded in too few of them to test anything (8 tasks and 30 rollouts are needed): "
        "the feature known most often is known in 21 rollouts of 7 tasks that sometimes pass there." in told
    )
