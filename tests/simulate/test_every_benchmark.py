"""Promises that every simulated benchmark keeps."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from blade.simulate import Scenario, make_run, score, stream_lines, stream_rows
from blade.simulate.benchmarks import load, names
from blade.simulate.cause_context import play
from blade.simulate.rng import chance
from blade.simulate.simulated_row import Behaviour

ITEM_TYPES = {"reasoning", "message", "function_call", "function_call_output"}
EVERY = pytest.mark.parametrize("benchmark", names())


def test_the_registry_knows_the_three_benchmarks_by_file_name() -> None:
    assert names() == ["field_notes", "front_desk", "patch_bench"]
    assert [load(name).name for name in names()] == names()


def test_an_unknown_benchmark_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="front_desk"):
        load("front_dsk")


@EVERY
def test_every_row_is_json_with_the_documented_keys(benchmark: str) -> None:
    for line in stream_lines(Scenario(benchmark=benchmark, tasks=12, repeats=2)):
        row = json.loads(line)
        assert {"responses_create_params", "response", "reward", "agent_ref", "category", "difficulty"} <= row.keys()
        assert isinstance(row["_ng_task_index"], int)
        assert isinstance(row["_ng_rollout_index"], int)
        assert row["agent_ref"] == {"name": f"{benchmark}_simple_agent"}
        assert row["reward"] in (0.0, 1.0)
        response, request = row["response"], row["responses_create_params"]
        assert response["object"] == "response"
        assert response["model"] == "sim-medium"
        assert {item["type"] for item in response["output"]} <= ITEM_TYPES
        usage = response["usage"]
        assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
        assert usage["output_tokens_details"]["reasoning_tokens"] <= usage["output_tokens"]
        assert all(message["type"] == "message" for message in request["input"])
        assert request["max_output_tokens"] == 2048


@EVERY
def test_every_call_is_answered_and_its_arguments_are_json(benchmark: str) -> None:
    for row in stream_rows(Scenario(benchmark=benchmark, tasks=12, repeats=2)):
        output = row["response"]["output"]
        calls = [item["call_id"] for item in output if item["type"] == "function_call"]
        answers = [item["call_id"] for item in output if item["type"] == "function_call_output"]
        assert calls == answers
        assert len(set(calls)) == len(calls)
        assert all(json.loads(item["arguments"]) is not None for item in output if item["type"] == "function_call")


@EVERY
def test_all_three_buckets_occur(benchmark: str) -> None:
    passes = Counter(row["_ng_task_index"] for row in stream_rows(Scenario(benchmark=benchmark)) if row["reward"])
    counts = [passes[index] for index in range(40)]
    assert sum(count == 0 for count in counts) >= 4
    assert sum(count == 4 for count in counts) >= 4
    assert sum(0 < count < 4 for count in counts) >= 4


@EVERY
def test_pass_rates_follow_the_stated_probabilities(benchmark: str) -> None:
    run = make_run(Scenario(benchmark=benchmark, tasks=150, repeats=6))
    chances = [chance(0.6, row.task.hardness, 0.7) for row in run.rows]
    gap = abs(score(run.rows) - sum(chances) / len(chances))
    spread = (sum(p * (1 - p) for p in chances) ** 0.5) / len(chances)
    assert gap < 4 * spread


@EVERY
def test_a_more_skilled_model_scores_higher(benchmark: str) -> None:
    scores = [score(make_run(Scenario(benchmark=benchmark, skill=skill)).rows) for skill in (0.2, 0.5, 0.8)]
    assert scores == sorted(scores)
    assert scores[2] - scores[0] > 0.3


@EVERY
def test_two_models_share_their_tasks_and_nothing_else(benchmark: str) -> None:
    first_rows = list(stream_rows(Scenario(benchmark=benchmark, tasks=10)))
    two = list(stream_rows(Scenario(benchmark=benchmark, tasks=10, model="sim-large", skill=0.8)))
    requests = [
        {row["_ng_task_index"]: row["responses_create_params"]["input"] for row in rows} for rows in (first_rows, two)
    ]
    assert requests[0] == requests[1]
    assert not {row["response"]["id"] for row in first_rows} & {row["response"]["id"] for row in two}


@EVERY
def test_every_mistake_fails_and_a_faultless_attempt_passes(benchmark: str) -> None:
    scenario = Scenario(benchmark=benchmark)
    plays = load(benchmark)
    sure = Behaviour("sim-sure", 99.0, 0.7, 100_000)
    for number in range(36):
        task = plays.task(scenario.seed, number)
        assert plays.verify(task, play(scenario, plays, task, 0, sure).items)["reward"] == 1.0
        for mistake in set(task.mistakes):
            transcript = play(scenario, plays, task, 1, replace(sure, mistake=mistake))
            assert plays.verify(task, transcript.items)["reward"] == 0.0, (task.task_id, mistake)


@EVERY
def test_task_texts_and_ids_are_unique(benchmark: str) -> None:
    tasks = [load(benchmark).task(3, number) for number in range(300)]
    assert len({task.task_id for task in tasks}) == 300
    assert len({task.messages[-1]["content"] for task in tasks}) == 300


def test_a_cooler_model_is_steadier() -> None:
    def mixed(temperature: float) -> int:
        rows = make_run(Scenario(tasks=60, temperature=temperature)).rows
        passes = Counter(row.index for row in rows if row.reward)
        return sum(0 < passes[index] < 4 for index in range(60))

    assert mixed(0.1) < mixed(0.7) < mixed(1.5)
