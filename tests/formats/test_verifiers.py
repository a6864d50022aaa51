"""verifiers and prime-rl: attempts in their order, errors, stop conditions, message graphs, steps of a training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.samples.verifiers import episode, keep, row, trained, write
from tests.formats.translated_rows import translated_rows

from blade import api
from blade.engine.discover import discover
from blade.errors import NoRuns
from blade.formats import verifiers
from blade.model import Status
from blade.options import Options
from blade.translate.foreign_run import BadRecord


def test_attempts_are_numbered_within_their_example(tmp_path: Path) -> None:
    rows = translated_rows(*write(tmp_path))["vf"]
    assert [(each["task_id"], each["_ng_rollout_index"]) for each in rows] == [("0", 0), ("0", 1), ("1", 0), ("1", 1)]


def test_ids_that_contradict_the_prompts_are_not_believed(tmp_path: Path) -> None:
    """An old writer counts ids by the place of a row, two to an id, while the examples alternate."""

    def old(number: int, question: str) -> dict[str, Any]:
        return {**row(number, 1.0), "id": number, "prompt": [{"role": "user", "content": question}]}

    rows = [old(place // 2, question) for place, question in enumerate(("one?", "two?", "one?", "two?"))]
    for each in rows:
        del each["example_id"]
    path = keep(tmp_path / "vf/results.jsonl", rows, {"rollouts_per_example": 2})
    (plan,) = discover([path])
    assert plan.translated is not None
    assert "contradict the prompts" in plan.translated.settings["example_ids"]
    translated = translated_rows(path)["vf"]
    assert [(each["task_id"], each["_ng_rollout_index"]) for each in translated] == [
        ("0", 0),
        ("1", 0),
        ("0", 1),
        ("1", 1),
    ]


def test_answers_that_a_server_took_for_reasoning_are_answers(tmp_path: Path) -> None:
    def thought(number: int, content: str | None) -> dict[str, Any]:
        turn = {"role": "assistant", "content": content, "reasoning_content": f"It is {number}."}
        return {**row(number, 1.0), "completion": json.dumps([turn])}

    silent = keep(tmp_path / "silent/results.jsonl", [thought(number, None) for number in range(3)], {})
    (plan,) = discover([silent])
    assert plan.translated is not None
    assert "stand in reasoning_content" in plan.translated.settings["answers"]
    items = [item for each in translated_rows(silent)["silent"] for item in each["response"]["output"]]
    assert [item["type"] for item in items] == ["message"] * 3
    spoken = keep(tmp_path / "spoken/results.jsonl", [thought(0, None), thought(1, "1")], {})
    items = [item for each in translated_rows(spoken)["spoken"] for item in each["response"]["output"]]
    assert [item["type"] for item in items] == ["reasoning", "reasoning", "message"]


def test_what_the_environment_calls_the_end_is_read(tmp_path: Path) -> None:
    ended = row(0, 0.0, termination_reason="turns_exhausted", trace=["long"], turns=7)
    path = keep(tmp_path / "vf/results.jsonl", [ended], {"state_columns": ["termination_reason", "trace", "turns"]})
    (translated,) = translated_rows(path)["vf"]
    assert translated["verifier"]["state"] == {"termination_reason": "turns_exhausted"}


def test_results_of_tools_without_an_id_answer_the_calls_in_their_order(tmp_path: Path) -> None:
    items = translated_rows(*write(tmp_path))["vf"][0]["response"]["output"]
    assert [(item["type"], item.get("call_id")) for item in items] == [
        ("function_call", "c1"),
        ("function_call_output", "c1"),
        ("message", None),
    ]
    assert items[0]["name"] == "add"


def test_metadata_gives_the_stated_mean_settings_and_what_should_be_there(tmp_path: Path) -> None:
    path = keep(
        tmp_path / "vf/results.jsonl", [row(0, 1.0)], {"rollouts_per_example": 3, "avg_reward": 0.5, "model": "m"}
    )
    (plan,) = discover([path])
    assert plan.translated is not None
    assert (plan.translated.reported, plan.translated.expected) == (0.5, {"0": 3})
    assert plan.translated.settings["model"] == "m"


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, None),
        ({"is_truncated": True}, Status.TRUNCATED),
        ({"stop_condition": "max_turns_reached"}, Status.TIMED_OUT),
        ({"stop_condition": "max_turns_reached", "completion": [{"role": "assistant", "content": "2"}]}, None),
        ({"error": "SandboxError: gone"}, Status.INFRASTRUCTURE),
        ({"error": "ModelError(429)"}, Status.INFRASTRUCTURE),
        ({"error": {"error_type": "OverlongPromptError", "error_chain_repr": "too long"}}, Status.TRUNCATED),
        ({"error": {"error_type": "ToolParseError"}}, Status.MALFORMED),
    ],
)
def test_errors_and_limits_are_statuses(tmp_path: Path, more: dict[str, Any], status: Status | None) -> None:
    path = keep(tmp_path / "vf/results.jsonl", [row(0, 0.0, **more)])
    (made,) = translated_rows(path)["vf"]
    assert made["_translated"].get("status") == status


def test_a_game_that_ran_out_of_its_own_turns_ended_and_was_not_cut(tmp_path: Path) -> None:
    lost = {"is_truncated": False, "termination_reason": "turns_exhausted"}
    rows = [row(task, 0.0, **lost, stop_condition="game_ended") for task in range(2)]
    rows.append(row(2, 0.0, **lost, stop_condition="max_turns_reached"))
    path = keep(tmp_path / "vf/results.jsonl", rows, {"state_columns": ["termination_reason"]})
    made = translated_rows(path)["vf"]
    assert [each["_translated"].get("ended") for each in made] == [True, True, None]
    (run,) = api.analyze(path, options=Options(cache=False)).runs
    assert run.statuses == {"ok": 2, "timed_out": 1}


@pytest.mark.parametrize(("bound", "passed"), [(0.5, True), (0.9, False), (None, None)])
def test_a_pass_is_what_the_metadata_says(tmp_path: Path, bound: float | None, passed: bool | None) -> None:
    path = keep(tmp_path / "vf/results.jsonl", [row(0, 0.6)], {"pass_threshold": bound})
    assert translated_rows(path)["vf"][0].get("passed") == passed


def test_examples_of_several_environments_are_told_apart(tmp_path: Path) -> None:
    rows = [row(0, 1.0, task="sums"), row(0, 0.0, task="words")]
    path = keep(tmp_path / "vf/results.jsonl", rows, {"env_id": "everything"})
    assert [each["task_id"] for each in translated_rows(path)["vf"]] == ["sums/0", "words/0"]


def test_a_training_is_a_run_per_step_and_expects_no_more_than_it_wrote(tmp_path: Path) -> None:
    path = keep(tmp_path / "train/results.jsonl", [trained(4, 1, 1.5), trained(4, 1, 0.5), trained(5, 2, 1.0)])
    runs = {run.name: run for run in api.analyze(path, options=Options(cache=False)).runs}
    assert {name: (run.metrics["score"], run.denominator.expected) for name, run in runs.items()} == {
        "train@step 1": (1.0, 2),
        "train@step 2": (1.0, 1),
    }


def test_texts_that_hold_json_are_read(tmp_path: Path) -> None:
    path = keep(tmp_path / "train/results.jsonl", [trained(4, 1, 1.5)])
    (made,) = translated_rows(path)["train"]
    assert made["responses_create_params"]["input"][0]["content"] == "What is 1 + 1?"
    assert made["response"]["output"][0]["content"] == "2"
    assert made["verifier"]["scores"] == {"exact": 1.5}


def test_a_graph_of_messages_is_the_branch_that_ends_last(tmp_path: Path) -> None:
    made = translated_rows(*write(tmp_path))["v1"][0]
    assert [item["content"] for item in made["responses_create_params"]["input"]] == ["What is 1 + 1?"]
    assert [item["content"] for item in made["response"]["output"]] == ["It is 2."]
    assert made["verifier"]["branches"] == 2
    assert made["response"]["usage"] == {"input_tokens": 9, "output_tokens": 3}


@pytest.mark.parametrize(
    ("rewards", "reward"),
    [
        ({"a": {"score": 1.0, "weight": 2.0}, "b": {"score": 0.5, "weight": 1.0}}, 2.5),
        ({"a": {"score": 1.0}}, 1.0),
        ({"a": {"score": 1.0, "weight": 2.0}, "b": None}, None),
        ({}, None),
    ],
)
def test_rewards_are_weighed_and_one_that_is_missing_leaves_no_score(
    tmp_path: Path, rewards: dict[str, Any], reward: float | None
) -> None:
    path = keep(tmp_path / "v1/traces.jsonl", [episode("a", 0.0, rewards=rewards)])
    assert translated_rows(path)["v1"][0]["reward"] == reward


def test_every_agent_of_an_episode_is_a_run(tmp_path: Path) -> None:
    both = episode("a", 1.0, "solver")
    both["traces"] += episode("a", 0.0, "critic")["traces"]
    made = translated_rows(keep(tmp_path / "v1/traces.jsonl", [both]))
    assert {name: rows[0]["reward"] for name, rows in made.items()} == {"v1@solver": 1.0, "v1@critic": 0.0}


def test_a_trace_that_is_no_object_is_counted_once(tmp_path: Path) -> None:
    both = episode("a", 1.0)
    both["traces"] += [*episode("a", 0.0, "critic")["traces"], 7]
    path = keep(tmp_path / "v1/traces.jsonl", [both])
    unread = [row for run in verifiers.runs([path]) for row in run.rows() if isinstance(row, BadRecord)]
    assert unread == [BadRecord("a trace that is no object", "line 1")]


def test_errors_of_an_episode_are_its_status(tmp_path: Path) -> None:
    rows = [
        episode("a", 0.0, errors=[{"type": "SandboxError", "message": "gone"}]),
        episode("b", 0.0, calls=[{"finish_reason": "length"}]),
        episode("c", 0.0, is_timeout=True),
    ]
    made = translated_rows(keep(tmp_path / "v1/traces.jsonl", rows))["v1"]
    assert [each["_translated"]["status"] for each in made] == [
        Status.INFRASTRUCTURE,
        Status.TRUNCATED,
        Status.TIMED_OUT,
    ]


def test_data_that_was_not_fetched_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("version https://git-lfs\noid sha256:0\nsize 9\n")
    (tmp_path / "metadata.json").write_text(json.dumps({"env": "sums", "rollouts_per_example": 3}))
    with pytest.raises(NoRuns, match="not fetched"):
        discover([tmp_path])


def test_how_long_the_parts_took_is_read_from_their_spans(tmp_path: Path) -> None:
    timing = json.dumps({"generation": {"start": 1.0, "end": 3.5, "duration": 2.5}, "scoring": {"duration": 0.25}})
    path = keep(tmp_path / "train/results.jsonl", [trained(4, 1, 1.5) | {"timing": timing}])
    (made,) = translated_rows(path)["train"]
    assert made["timing"] == {"generation_seconds": 2.5, "scoring_seconds": 0.25}
