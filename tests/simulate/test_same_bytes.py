"""The same scenario gives the same bytes, whatever was made before it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from blade.simulate import Scenario, cause, stream_lines, write_run
from blade.simulate.benchmarks import names

if TYPE_CHECKING:
    from pathlib import Path

FAMILY = {
    "rollouts.jsonl",
    "rollouts_materialized_inputs.jsonl",
    "rollouts_failures.jsonl",
    "rollouts_aggregate_metrics.json",
    "rollouts_reward_profiling.jsonl",
    "rollouts_agent_metrics.json",
}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("benchmark", names())
def test_two_writes_are_equal_and_complete(benchmark: str, tmp_path: Path) -> None:
    scenario = Scenario(benchmark=benchmark, tasks=8, causes=(cause("outage", shape="failures"),))
    main = write_run(scenario, tmp_path / "one")
    write_run(scenario, tmp_path / "two")
    assert main == tmp_path / "one" / "rollouts.jsonl"
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert contents(tmp_path / "one").keys() == FAMILY


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import sys; from blade.simulate import Scenario, stream_lines;"
        "sys.stdout.buffer.writelines(stream_lines(Scenario(tasks=6, pad_chars=200)))"
    )
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
    assert output == b"".join(stream_lines(Scenario(tasks=6, pad_chars=200)))


def test_seed_dice_and_model_each_change_the_run() -> None:
    plain = Scenario(tasks=6)
    changed = [replace(plain, seed=1), replace(plain, dice=1), replace(plain, model="sim-large")]
    assert len({b"".join(stream_lines(scenario)) for scenario in [plain, *changed]}) == 4


def test_more_tasks_only_add_tasks() -> None:
    first_tasks = {row.split(b'"_ng_task_index":')[1] for row in stream_lines(Scenario(tasks=4))}
    all_tasks = {row.split(b'"_ng_task_index":')[1] for row in stream_lines(Scenario(tasks=6))}
    assert first_tasks < all_tasks


def test_rows_stand_in_completion_order_and_not_in_task_order() -> None:
    rows = [json.loads(line) for line in stream_lines(Scenario())]
    times = [row["response"]["created_at"] for row in rows]
    keys = [(row["_ng_task_index"], row["_ng_rollout_index"]) for row in rows]
    assert times == sorted(times)
    assert times[-1] - times[0] > 60
    assert keys != sorted(keys)
    assert len(set(keys)) == 160
