"""Every sidecar can be worked out again from the rollouts and the inputs."""

from __future__ import annotations

import json
import statistics
from math import comb
from typing import TYPE_CHECKING, Any

import pytest

from blade.simulate import Scenario, cause, write_run
from blade.simulate.benchmarks import names

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def family(folder: Path, scenario: Scenario) -> tuple[list[Json], list[Json], Json, list[Json], Json]:
    main = write_run(scenario, folder)
    aggregate = json.loads((folder / "rollouts_aggregate_metrics.json").read_text())
    agents = json.loads((folder / "rollouts_agent_metrics.json").read_text())
    profile = lines(folder / "rollouts_reward_profiling.jsonl")
    inputs = lines(folder / "rollouts_materialized_inputs.jsonl")
    return lines(main), inputs, aggregate[0], profile, agents[0]


@pytest.mark.parametrize("benchmark", names())
def test_the_baseline_numbers_follow_from_the_rows(benchmark: str, tmp_path: Path) -> None:
    rows, _, aggregate, _, agent = family(tmp_path, Scenario(benchmark=benchmark, tasks=10))
    rewards = [row["reward"] for row in rows]
    spent = [row["response"]["usage"]["output_tokens"] for row in rows]
    metrics = aggregate["agent_metrics"]
    assert metrics["mean/reward"] == pytest.approx(statistics.mean(rewards))
    assert metrics["std/reward"] == pytest.approx(statistics.stdev(rewards))
    assert metrics["median/output_tokens"] == statistics.median(spent)
    assert metrics["max/output_tokens"] == max(spent)
    assert metrics["min/total_tokens"] == min(row["response"]["usage"]["total_tokens"] for row in rows)
    assert not any("_ng_" in key for key in metrics)
    assert agent == {key: metrics[key] for key in agent if key != "agent_ref"} | {"agent_ref": aggregate["agent_ref"]}
    assert aggregate["key_metrics"].items() <= metrics.items()


def test_only_the_front_desk_has_no_pass_metrics(tmp_path: Path) -> None:
    for benchmark in names():
        metrics = family(tmp_path / benchmark, Scenario(benchmark=benchmark, tasks=6))[2]["agent_metrics"]
        assert ("pass@1/accuracy" in metrics) == (benchmark != "front_desk")
        assert ("easy/pass@1/accuracy" in metrics) == (benchmark == "patch_bench")


def test_pass_at_k_majority_and_no_answer_follow_from_the_rows(tmp_path: Path) -> None:
    rows, _, aggregate, _, _ = family(tmp_path, Scenario(benchmark="field_notes", tasks=24))
    metrics = aggregate["agent_metrics"]
    groups = [
        sorted((r for r in rows if r["_ng_task_index"] == n), key=lambda r: r["_ng_rollout_index"]) for n in range(24)
    ]
    right = [int(sum(row["reward"] for row in group)) for group in groups]
    empty = [sum(row["extracted_answer"] is None for row in group) for group in groups]
    for k in (1, 2, 3, 4):
        expected = statistics.mean(1 - comb(4 - count, k) / comb(4, k) for count in right)
        assert metrics[f"pass@{k}/accuracy"] == pytest.approx(100 * expected)
        expected = statistics.mean(1 - comb(4 - count, k) / comb(4, k) for count in empty)
        assert metrics[f"pass@{k}/no_answer"] == pytest.approx(100 * expected)
        first = [statistics.mean(row["reward"] for row in group[:k]) for group in groups]
        assert metrics[f"pass@1[avg-of-{k}]/accuracy"] == pytest.approx(100 * statistics.mean(first))
    votes = []
    for group in groups:
        answers = [row["extracted_answer"] for row in group if row["extracted_answer"] is not None]
        top = [answer for answer in set(answers) if answers.count(answer) == max(map(answers.count, answers))]
        votes.append(statistics.mean(answer == group[0]["expected_answer"] for answer in top) if top else 0.0)
    assert metrics["majority@4/accuracy"] == pytest.approx(100 * statistics.mean(votes))
    runs = [100 * statistics.mean(group[n]["reward"] for group in groups) for n in range(4)]
    assert metrics["per_sample_aggregate"]["accuracy"] == pytest.approx(runs)
    spread = metrics["pass@1[avg-of-4]/accuracy/std_err_across_runs"]
    assert spread == pytest.approx(statistics.stdev(runs) / 2)


def test_the_profile_knows_what_is_missing_and_the_aggregate_does_not(tmp_path: Path) -> None:
    scenario = Scenario(tasks=10, causes=(cause("missing_rows", share=0.3), cause("missing_tasks", share=0.1)))
    rows, inputs, aggregate, profile, _ = family(tmp_path, scenario)
    assert len(inputs) == 40
    assert len(rows) < 36
    assert len(profile) == len({row["_ng_task_index"] for row in rows}) <= 9
    assert sum(task["num_rollouts"] for task in profile) == len(rows)
    for task, group in zip(profile, aggregate["group_level_metrics"], strict=True):
        task_rows = [row for row in rows if row["_ng_task_index"] == task["_ng_task_index"]]
        assert task["num_rollouts"] == group["num_rollouts"] == group["expected_num_rollouts"] == len(task_rows)
        assert task["expected_num_rollouts"] == 4
        assert task["missing_num_rollouts"] == 4 - len(task_rows)
        assert task["reward_profile_completion_pct"] == 25.0 * len(task_rows)
        assert task["mean/reward"] == pytest.approx(statistics.mean(row["reward"] for row in task_rows))
        assert [info["reward"] for info in task["rollout_infos"]] == [
            row["reward"] for row in sorted(task_rows, key=lambda row: row["_ng_rollout_index"])
        ]
        assert "reference_actions" in task["sample"]
        assert group["sample"] == {"agent_ref": {"name": "agent"}}


def test_the_inputs_hold_the_request_as_sent_and_the_gold(tmp_path: Path) -> None:
    rows, inputs, *_ = family(tmp_path, Scenario(tasks=5, agent="my_agent"))
    assert [(row["_ng_task_index"], row["_ng_rollout_index"]) for row in inputs] == [
        (task, attempt) for task in range(5) for attempt in range(4)
    ]
    row_by_place = {(row["_ng_task_index"], row["_ng_rollout_index"]): row for row in rows}
    for row in inputs:
        request = row_by_place[row["_ng_task_index"], row["_ng_rollout_index"]]["responses_create_params"]
        assert [m["content"] for m in request["input"]] == [
            m["content"] for m in row["responses_create_params"]["input"]
        ]
        assert all("type" not in message for message in row["responses_create_params"]["input"])
        assert row["agent_ref"] == {"name": "my_agent"}
        assert row["reference_actions"]


def test_single_attempts_have_a_spread_of_zero_within_a_task(tmp_path: Path) -> None:
    _, _, aggregate, profile, _ = family(tmp_path, Scenario(tasks=5, repeats=1))
    assert all(task["std/reward"] == 0.0 for task in profile)
    assert aggregate["agent_metrics"]["std/reward"] >= 0.0


def test_a_file_with_duplicates_has_no_metrics(tmp_path: Path) -> None:
    write_run(Scenario(tasks=5), tmp_path)
    write_run(Scenario(tasks=5, causes=(cause("duplicate_rows", share=0.5),)), tmp_path)
    assert not list(tmp_path.glob("*metrics*"))
    assert not list(tmp_path.glob("*profiling*"))
