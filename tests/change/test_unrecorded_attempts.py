"""An attempt whose transcript was not kept is not said to have stopped at the start, or to have made no call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write


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
