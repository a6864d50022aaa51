"""Two runs of rollouts with what stands beside them: the rows that BLADE is made for, for the fuzzer."""

from __future__ import annotations

from pathlib import Path

from tests import gym_rows
from tests.gym_rows import given
from tests.test_mutations import ATTEMPTS, ROWS, TASKS


def write(folder: Path) -> list[Path]:
    base = gym_rows.write(folder / "base.jsonl", ROWS)
    second = [row | {"reward": 1.0 - row["reward"]} if row["_ng_task_index"] == 2 else row for row in ROWS[:-1]]
    gym_rows.write(folder / "second.jsonl", second)
    gym_rows.write(
        folder / "base_materialized_inputs.jsonl",
        [given(task, attempt) for task in range(TASKS) for attempt in range(ATTEMPTS)],
    )
    failure = {"_ng_task_index": 4, "_ng_rollout_index": 1, "_ng_failure_class": "agent_request_failed"}
    gym_rows.write(folder / "second_failures.jsonl", [failure | {"error": "the server said 502"}])
    (folder / "NOTES.md").write_text("The second run has another prompt.\n", encoding="utf-8")
    return [base, folder / "second.jsonl"]
