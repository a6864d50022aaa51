"""The attempts to run again: which, why, and the input row of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_line import blade
from tests.gym_rows import ABSENT, given, row, write

OUTAGE = {"error": {"code": "503", "message": "503 Service Unavailable: the gateway closed the connection"}}


def broken(task: int, attempt: int) -> dict[str, Any]:
    """An attempt that the infrastructure ended, scored 0 all the same."""
    made = row(task, attempt, 0.0, extracted_answer=None)
    return made | {"response": {**made["response"], "output": [], **OUTAGE}}


def listed(*words: str | Path) -> tuple[list[dict[str, Any]], str]:
    done = blade("rerun-list", *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_void_failed_and_missing_attempts_come_with_their_input_row(tmp_path: Path) -> None:
    path = write(tmp_path / "night.jsonl", [row(0), row(0, 1), row(1), broken(1, 1), row(2)])
    inputs = [given(task, attempt, options=["a", "b"]) for task in range(4) for attempt in range(2)]
    write(tmp_path / "night_materialized_inputs.jsonl", inputs)
    failure = row(3, 0, 0.0, _ng_failure_class="judge_failed", _ng_failure_terminal=True)
    write(tmp_path / "night_failures.jsonl", [failure])
    lines, said = listed(path)
    told = [line.pop("_blade") for line in lines]
    assert lines == [inputs[3], inputs[5], inputs[6], inputs[7]]
    assert [(one["task"], one["attempt"], one["status"]) for one in told] == [
        ("1", 1, "infrastructure"),
        ("2", 1, "missing"),
        ("3", 0, "verifier_error"),
        ("3", 1, "missing"),
    ]
    assert "503 Service Unavailable" in told[0]["why"]
    assert told[1]["why"] == "missing without a trace"
    assert told[2]["why"] == "failed: judge_failed"
    assert {one["row_from"] for one in told} == {"inputs"}
    assert said == "night: 4 attempts to run again: 1 infrastructure, 2 missing and 1 verifier error\n"


def test_without_inputs_the_rows_of_the_task_tell_what_is_known(tmp_path: Path) -> None:
    whole = [row(task, attempt, category="sums") for task in range(5) for attempt in range(2)]
    path = write(tmp_path / "night.jsonl", [*whole[:7], broken(3, 1), *whole[8:9]])
    first, second = listed(path)[0]
    assert first["_blade"]["row_from"] == "rollout"
    assert second["_blade"] | {"task": "4", "attempt": 1, "row_from": "another attempt"} == second["_blade"]
    for line, task in ((first, 3), (second, 4)):
        assert (line["_ng_task_index"], line["_ng_rollout_index"]) == (task, 1)
        assert line["responses_create_params"] == whole[2 * task]["responses_create_params"]
        assert line["expected_answer"] == str(2 * task)
        assert line.keys().isdisjoint({"response", "reward", "extracted_answer"})
    assert second["category"] == "sums"


def test_a_task_that_only_another_run_shows_is_expected_of_this_one(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.jsonl", [row(task, attempt) for task in range(10) for attempt in range(2)])
    short = write(tmp_path / "short.jsonl", [row(task, attempt) for task in range(9) for attempt in range(2)])
    lines, said = listed(whole, short, "--run", "short")
    assert [line["_blade"]["row_from"] for line in lines] == ["another run", "another run"]
    assert [(line["_ng_task_index"], line["_ng_rollout_index"]) for line in lines] == [(9, 0), (9, 1)]
    assert "agent_ref" not in lines[0]
    assert said == "short: 2 attempts to run again: 2 missing\n"
    assert listed(whole, short)[1].startswith("whole: 0 attempts to run again\n")


def test_tasks_that_no_file_names_are_counted_and_not_invented(tmp_path: Path) -> None:
    path = write(tmp_path / "night.jsonl", [row(task) for task in range(3)])
    lines, said = listed(path, "--repeats", "1", "--limit", "5")
    assert lines == []
    assert said.endswith("2 more attempts of tasks that no file names cannot be listed\n")
    done = blade("rerun-list", path, "--run", "other")
    assert done.returncode == 2
    assert done.stderr == "blade: No run is named 'other'.\n       Runs here: night.\n"


def test_a_row_without_index_still_says_its_task(tmp_path: Path) -> None:
    rows = [row(task, _ng_task_index=ABSENT, _ng_rollout_index=ABSENT, task_id=f"t{task}") for task in range(4)]
    rows[2] |= {"reward": None}
    (line,) = listed(write(tmp_path / "night.jsonl", rows))[0]
    assert (line["task_id"], line["_blade"]["task"], line["_ng_rollout_index"]) == ("t2", "t2", 0)
    assert "_ng_task_index" not in line
