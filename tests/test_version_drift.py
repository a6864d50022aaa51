"""What Gym builds have written over time, and the optional parts that few runs have."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.gym_rows import (
    ABSENT,
    Json,
    analysed,
    bare,
    flaws,
    given,
    message,
    only_run,
    read,
    request,
    response,
    row,
    states,
    write,
)

from blade.errors import NoRuns


def facts_of(folder: Path, made: Json) -> dict[str, Any]:
    (run,) = read(write(folder / "a.jsonl", [made]))
    return run.facts.row(0, named=True)


# indices
def test_the_older_task_index_is_an_index_and_repeats_are_counted(tmp_path: Path) -> None:
    rows = [
        bare(task, float(n), _task_index=task, response=response(message(f"try {n}")))
        for task in (0, 1)
        for n in (0, 1)
    ]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    run = analysis.runs[0]
    assert (run.tasks, run.key_source, run.buckets) == (
        2,
        "index",
        {"always": 0, "sometimes": 2, "never": 0, "missing": 0},
    )


def test_a_row_dispatched_again_keeps_its_count_of_earlier_failures(tmp_path: Path) -> None:
    assert facts_of(tmp_path, row(0, _ng_attempt_index=2))["retry"] == 2


@pytest.mark.parametrize("value", ["3", 3.0, 3])
def test_an_index_may_be_written_as_text_or_float(tmp_path: Path, value: Any) -> None:
    assert facts_of(tmp_path, row(0, _ng_task_index=value))["task_index"] == 3


@pytest.mark.parametrize("value", ["--3", "three", 3.5, True, None, [3], 2**70, ""])
def test_what_is_no_index_is_none(tmp_path: Path, value: Any) -> None:
    assert facts_of(tmp_path, row(0, _ng_task_index=value))["task_index"] is None


# output items
ITEMS: list[tuple[Json, str, str]] = [
    ({"type": "reasoning", "summary": [], "content": [{"text": "hm"}]}, "thoughts", "thought"),
    ({"type": "message", "role": "assistant", "content": [{"refusal": "no"}]}, "messages", "message"),
    ({"type": "message", "role": "user", "content": "go on"}, "user_turns", "user"),
    ({"role": "tool", "tool_call_id": "c", "content": "42"}, "outputs", "output"),
    *[
        ({"type": kind, "name": "t", "arguments": "{", "call_id": "c"}, "calls", "call")
        for kind in (
            "function_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call",
            "computer_call", "custom_tool_call", "local_shell_call", "mcp_approval_request",
        )
    ],
    *[
        ({"type": kind, "call_id": "c", "output": [{"type": "input_text", "text": "42"}]}, "outputs", "output")
        for kind in (
            "function_call_output", "computer_call_output", "custom_tool_call_output", "local_shell_call_output",
        )
    ],
]  # fmt: skip


@pytest.mark.parametrize(("item", "column", "kind"), ITEMS)
def test_every_item_of_an_output_is_known(tmp_path: Path, item: Json, column: str, kind: str) -> None:
    facts = facts_of(tmp_path, row(0, response=response(item)))
    assert (facts[column], facts["ends_on"], facts["items"]) == (1, kind, 1)


def test_a_server_side_call_carries_its_own_output(tmp_path: Path) -> None:
    facts = facts_of(
        tmp_path, row(0, response=response({"type": "mcp_call", "name": "t", "output": "42", "error": None}))
    )
    assert (facts["calls"], facts["outputs"]) == (1, 1)


def test_an_item_of_an_unknown_type_is_counted_and_harms_nothing(tmp_path: Path) -> None:
    facts = facts_of(
        tmp_path, row(0, response=response({"type": "hologram"}, {"type": ["odd"]}, None, 7, message("hi")))
    )
    assert (facts["items"], facts["messages"], facts["final_chars"]) == (5, 1, 2)


def test_chat_style_messages_inside_an_output_are_read(tmp_path: Path) -> None:
    call = {"id": "c", "function": {"name": "look", "arguments": "{}"}}
    chat = {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [call]}
    facts = facts_of(tmp_path, row(0, response=response(chat)))
    assert (facts["thoughts"], facts["calls"], facts["messages"], facts["tools_called"]) == (1, 1, 0, ["look"])


def test_token_arrays_are_left_out_and_everything_else_stays(tmp_path: Path) -> None:
    heavy = {
        **message("It is 0."),
        "prompt_token_ids": [1, 2],
        "generation_token_ids": [3],
        "generation_log_probs": [-0.5],
    }
    with_arrays = facts_of(tmp_path / "one", row(0, response=response(heavy)))
    without = facts_of(tmp_path / "two", row(0, response=response(message("It is 0."))))
    assert with_arrays["output_hash"] == without["output_hash"]


# attachments
@pytest.mark.parametrize("name", ["ng_trajectory", "ng_agent_observations", "ng_model_call_capture"])
def test_gaps_of_the_observers_are_kept_and_are_no_trouble(tmp_path: Path, name: str) -> None:
    told: Json = {name: {"gaps": [{"code": "turns_unavailable"}, {"code": "x"}, {"detail": 1}, 3]}}
    facts = facts_of(tmp_path, row(0, **told))
    assert facts["gaps"] == ["turns_unavailable", "x"]
    assert facts["state"] == "ok"


@pytest.mark.parametrize(
    ("category", "status"),
    [("rate_limit", "infrastructure"), ("timeout", "infrastructure"), ("stream_truncated", "truncated"),
     ("capture_parse_error", "ok"), (None, "ok")],
)  # fmt: skip
def test_the_last_captured_model_call_says_how_it_ended(tmp_path: Path, category: str | None, status: str) -> None:
    calls = [{"error_category": "rate_limit"}, {"error_category": category}]
    assert facts_of(tmp_path, row(0, 0, 0.0, ng_model_call_capture={"calls": calls}))["state"] == status


@pytest.mark.parametrize(
    ("record", "status"),
    [({"role": "agent", "outcome": "oom"}, "infrastructure"), ({"role": "agent", "outcome": "timeout"}, "timed_out"),
     ({"role": "verifier", "outcome": "failed"}, "verifier_error"), ({"role": "agent", "outcome": "completed"}, "ok"),
     ({"role": "agent", "outcome": ["odd"]}, "ok")],
)  # fmt: skip
def test_what_a_sandbox_came_to_is_believed(tmp_path: Path, record: Json, status: str) -> None:
    seen = {"source": "s", "records": [{"kind": "sandbox", **record}, {"kind": "tool_call", "status": "failed"}, 3]}
    assert facts_of(tmp_path, row(0, 0, 0.0, ng_agent_observations=seen))["state"] == status


# several agents, several skill variants
def test_several_agents_in_one_file_are_one_run_each(tmp_path: Path) -> None:
    rows = [row(n, 0, float(name == "a"), agent_ref={"name": name}) for name in "ab" for n in range(2)]
    analysis = analysed(write(tmp_path / "tiny.jsonl", rows))
    assert {run.name: run.metrics["score"] for run in analysis.runs} == {"tiny@a": 1.0, "tiny@b": 0.0}


def test_several_skill_variants_in_one_file_are_one_run_each(tmp_path: Path) -> None:
    def of(digest: str) -> Json:
        return {"path": "skills", "hash": digest, "skills": [{"name": "s", "version": "1"}]}

    rows = [row(n, 0, float(mark == "aa"), skills_ref=of(mark * 6)) for mark in ("aa", "bb") for n in range(2)]
    runs = analysed(write(tmp_path / "tiny.jsonl", rows)).runs
    assert {run.name: run.metrics["score"] for run in runs} == {"tiny+aaaaaaaaaaaa": 1.0, "tiny+bbbbbbbbbbbb": 0.0}
    assert [run.provenance.skills for run in runs] == ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]


@pytest.mark.parametrize("skills", [None, {}, {"path": "p"}, "text", {"hash": 7}])
def test_odd_skill_references_name_no_variant(tmp_path: Path, skills: Any) -> None:
    assert [run.name for run in read(write(tmp_path / "tiny.jsonl", [row(0, skills_ref=skills), row(1)]))] == ["tiny"]


# failures, skipped verification
@pytest.mark.parametrize(
    ("name", "status"),
    [("judge_failed", "verifier_error"), ("timeout_exceeded", "timed_out"), ("transient", "infrastructure"),
     ("something_new", "infrastructure")],
)  # fmt: skip
def test_a_failed_attempt_counts_as_its_class_and_never_as_a_zero(tmp_path: Path, name: str, status: str) -> None:
    path = write(tmp_path / "a.jsonl", [row(0), row(1)])
    write(tmp_path / "a_materialized_inputs.jsonl", [given(n) for n in range(3)])
    write(tmp_path / "a_failures.jsonl", [row(2, 0, 0.0, _ng_failure_class=name)] * 2)
    run = only_run(path)
    assert run.statuses == {status: 1, "ok": 2}
    assert (run.metrics["score"], run.denominator.graded) == (1.0, 2)
    assert [(loss.reason, loss.rollouts) for loss in run.denominator.losses] == [(f"failed: {name}", 1)]


def test_a_retry_that_succeeded_is_no_failure(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(0), row(1, _ng_attempt_index=1)])
    write(tmp_path / "a_failures.jsonl", [row(1, 0, 0.0, _ng_failure_class="transient")])
    assert only_run(path).statuses == {"ok": 2}


def test_a_failure_row_inside_the_main_file_is_infrastructure(tmp_path: Path) -> None:
    (run,) = read(write(tmp_path / "a.jsonl", [row(0, 0, 0.0, _ng_failure_class="transient"), row(1), row(2)]))
    assert states(run) == ["infrastructure", "ok", "ok"]


def test_skipped_verification_is_not_scored(tmp_path: Path) -> None:
    rows = [row(n, 0, 0.0, verification_skipped=True) for n in range(3)]
    run = only_run(write(tmp_path / "a.jsonl", rows))
    assert (run.statuses, run.metrics["score"], run.denominator.counted) == ({"skipped_verification": 3}, None, 0)


# files: compressed, sharded, re-verified, profiled
@pytest.mark.parametrize(("end", "pack"), [("gz", gzip.compress), ("zst", zstandard.compress), ("", bytes)])
def test_compressed_files_and_their_sidecars_are_one_run(tmp_path: Path, end: str, pack: Any) -> None:
    plain = write(tmp_path / "raw", [row(n) for n in range(3)]).read_bytes()
    inputs = write(tmp_path / "raw", [given(n) for n in range(4)]).read_bytes()
    (tmp_path / "raw").unlink()
    tail = f".{end}" if end else ""
    (tmp_path / f"a.jsonl{tail}").write_bytes(pack(plain))
    (tmp_path / f"a_materialized_inputs.jsonl{tail}").write_bytes(pack(inputs))
    run = only_run(tmp_path / f"a.jsonl{tail}")
    assert (run.name, run.rollouts, run.denominator.expected) == ("a", 3, 4)


def test_shards_in_a_folder_and_under_a_glob_are_one_run(tmp_path: Path) -> None:
    for shard in range(3):
        write(tmp_path / "big" / f"x-rs{shard}-chunk0.jsonl", [row(shard * 2), row(shard * 2 + 1, reward=0.0)])
    write(tmp_path / "big" / "x_materialized_inputs.jsonl", [given(n) for n in range(7)])
    for place in (tmp_path / "big", str(tmp_path / "big" / "x-rs*.jsonl")):
        run = only_run(place)
        assert (run.name, run.rollouts, run.tasks, run.denominator.expected) == ("x", 6, 7, 7)


def test_a_file_merged_from_the_shards_beside_it_is_counted_once(tmp_path: Path) -> None:
    write(tmp_path / "x.jsonl", [row(0), row(1)])
    write(tmp_path / "x-rs0-chunk0.jsonl", [row(0)])
    write(tmp_path / "x-rs0-chunk1.jsonl", [row(1)])
    analysis = analysed(tmp_path)
    assert [run.rollouts for run in analysis.runs] == [2]
    assert "shards-beside-merged" in flaws(analysis)


def test_a_reverified_file_uses_the_inputs_of_its_origin(tmp_path: Path) -> None:
    write(tmp_path / "x.jsonl", [row(0), row(1)])
    path = write(tmp_path / "unsafe_x.jsonl", [row(0), row(1, reward=0.0)])
    write(tmp_path / "x_materialized_inputs.jsonl", [given(n) for n in range(3)])
    run = only_run(path)
    assert (run.name, run.denominator.expected_source, run.denominator.expected) == ("unsafe_x", "manifest", 3)


def test_a_profile_of_an_early_build_is_known_and_no_run(tmp_path: Path) -> None:
    early = {
        "question": "q",
        "avg_reward": 0.5,
        "std_reward": 0.5,
        "total_samples": 2,
        "responses_create_params": request("q"),
    }
    path = write(tmp_path / "profile.jsonl", [early])
    with pytest.raises(NoRuns, match="a reward profile of an early build"):
        read(path)
    write(tmp_path / "a.jsonl", [row(0)])
    assert [(file.path.name, file.kind) for file in only_run(tmp_path).files][1:] == [
        ("profile.jsonl", "gym_profile_legacy")
    ]


def test_components_of_a_reward_are_kept_beside_it(tmp_path: Path) -> None:
    fields = json.loads(facts_of(tmp_path, row(0, reward_components={"format": 0.5}, format=0.5))["fields"])
    assert (fields["reward_components.format"], fields["format"]) == (0.5, 0.5)


def test_a_score_stands_in_for_a_reward(tmp_path: Path) -> None:
    assert only_run(write(tmp_path / "a.jsonl", [row(0, reward=ABSENT, score=0.25)])).metrics["score"] == 0.25
