"""The machine a rollout ran on, told by tools, screens and the verifier alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, message, read, request, response, row, write
from tests.questions.made_cases import words

from blade.sections import benchmark_health


def _called(command: str, output: str) -> dict[str, Any]:
    call = {"type": "function_call", "call_id": "c", "name": "bash", "arguments": json.dumps({"command": command})}
    return response(call, {"type": "function_call_output", "call_id": "c", "output": output}, message("Done."))


@pytest.mark.parametrize(
    ("fields", "machine"),
    [
        ({"response": _called("uname -m", "aarch64")}, "arm64"),
        ({"response": _called("docker pull --platform linux/amd64 box", "pulled")}, None),
        ({"responses_create_params": request("Boot it.", instructions="The host is x86_64.")}, None),
        ({"responses_create_params": request("Boot qemu-system-x86_64, x86_64, x86_64.")}, None),
        ({"verifier": {"log": "Unpacking libc6:amd64 ..."}}, "x86_64"),
    ],
    ids=["tool", "call", "system prompt", "task", "verifier"],
)
def test_only_what_answers_names_the_machine(fields: dict[str, Any], machine: str | None, tmp_path: Path) -> None:
    (run,) = read(write(tmp_path / "run.jsonl", [row(0, 0, 1.0, **fields), row(1, 0, 0.0)]))
    assert run.facts.sort("line")["machine"].to_list()[0] == machine


@pytest.mark.parametrize("both", [True, False])
def test_two_machines_in_a_run_are_compared_on_tasks_that_ran_on_both(both: bool, tmp_path: Path) -> None:
    rows = [
        row(task, attempt, float(not old), verifier={"log": "libc6:amd64 set up" if old else "libc6:arm64 set up"})
        for task in range(10)
        for attempt in range(2)
        for old in [bool(attempt) if both else task == 0]
        for old in [old or (not both and task < 5)]
    ]
    text = words(benchmark_health.build(analysed(write(tmp_path / "run.jsonl", rows))))
    if both:
        assert "On the 10 tasks that ran on both the mean reward is 100.0% on arm64 and 0.0% on x86_64." in text
    else:
        assert "No task ran on both: those on " in text
        assert "mean reward of" not in text
