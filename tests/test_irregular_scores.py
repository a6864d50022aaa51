"""Irregularities seen in committed Gym runs, second half: what a score is worth, tokens, provenance, sidecars."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, analysed, bare, flaws, given, message, only_run, read, request, response, row, states
from tests.gym_rows import write as lines

THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "so far"}]}


def state_of(folder: Path, *rows: Any) -> list[str]:
    (run,) = read(lines(folder / "a.jsonl", rows))
    return states(run)


# 16. truncation is hidden
@pytest.mark.parametrize(
    "told",
    [
        {"status": None, "incomplete_details": {"reason": "max_output_tokens"}},
        {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
        {"status": "incomplete", "incomplete_details": None},
    ],
)
def test_a_response_that_was_cut_is_truncated_whatever_its_status(tmp_path: Path, told: dict[str, Any]) -> None:
    cut = row(0, 0, 0.0, response=response(THOUGHT, **told), extracted_answer=None)
    assert state_of(tmp_path, cut, row(1)) == ["truncated", "ok"]


def test_using_up_the_token_limit_is_truncation_unless_the_status_says_completed(tmp_path: Path) -> None:
    limit = request("long", max_output_tokens=5)
    rows = [
        row(n, 0, 0.0, responses_create_params=limit, response=response(message("so"), status=status))
        for n, status in enumerate([None, "completed"])
    ]
    assert state_of(tmp_path, *rows) == ["truncated", "ok"]


def test_a_truncated_pass_is_both(tmp_path: Path) -> None:
    cut = row(0, response=response(message("It is 0."), incomplete_details={"reason": "max_output_tokens"}))
    (run,) = read(lines(tmp_path / "a.jsonl", [cut, row(1, reward=0.0)]))
    assert run.facts.filter(run.facts["task"] == "0").select("state", "passed").row(0) == ("truncated", True)


# 17. a crash stored as an ordinary zero
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"exception_type": "RuntimeError", "turn_count": 0, "response": response()}, "infrastructure"),
        ({"evaluation_completed": False, "evaluation_error": "x"}, "verifier_error"),
        ({"error_message": "Connection refused by the model server"}, "infrastructure"),
        ({"agent_timed_out": True}, "timed_out"),
        ({"eval_timed_out": True}, "verifier_error"),
        ({"context_length_exceeded_error": 1}, "truncated"),
        ({"memory_limit_exceeded_error": 1}, "infrastructure"),
        ({"container_exit_code": 137}, "infrastructure"),
        ({"judge_error": "judge returned HTTP 503"}, "infrastructure"),
        ({"response": response(message(""), id="x-timeout")}, "timed_out"),
        ({"response": response(message(""), id="remote_agent_failure")}, "infrastructure"),
        ({"response": response(error={"code": "server_error", "message": "overloaded"})}, "infrastructure"),
    ],
)
def test_a_crash_among_the_scored_rows_is_named(tmp_path: Path, fields: dict[str, Any], status: str) -> None:
    lost = row(0, 0, 0.0, **{"extracted_answer": ABSENT, **fields})
    quiet = {key: value for key, value in {"evaluation_completed": True}.items() if key in fields}
    assert state_of(tmp_path, lost, *(row(n, **quiet) for n in range(1, 5)))[0] == status


@pytest.mark.parametrize(
    "fields",
    [
        {"failure_reason": "tool_name_mismatch"},
        {"failure_reason": "judge_evaluation_failed"},
        {"error_message": "AssertionError: expected 3, found 4"},
        {"status": "fail", "details": "Wrong answer on test 2"},
        {"result": [-2], "metadata": {"error_message": "Time Limit Exceeded"}},
        {"error_type": "none", "error": None},
        {"response": response(message("It is 17."), error={"code": None, "message": None})},
    ],
)
def test_an_ordinary_wrong_answer_stays_ok(tmp_path: Path, fields: dict[str, Any]) -> None:
    assert state_of(tmp_path, row(0, 0, 0.0, **fields), *(row(n) for n in range(1, 5)))[0] == "ok"


# 18. fields that lie
def test_a_flag_that_is_there_on_every_row_is_not_believed(tmp_path: Path) -> None:
    rows = [row(n, 0, float(n % 2), invalid_judge_response=True, agent_error_kind="other") for n in range(6)]
    analysis = analysed(lines(tmp_path / "a.jsonl", rows))
    assert analysis.runs[0].statuses == {"ok": 6}
    assert flaws(analysis)["field-without-signal"] == 6


# 19. the reward is not the score
def test_another_field_can_be_named_as_the_score(tmp_path: Path) -> None:
    rows = [row(n, 0, 0.0, metadata={"verifier_result": {"rewards": {"rate": n / 4}}}) for n in range(5)]
    path = lines(tmp_path / "a.jsonl", rows)
    assert only_run(path).metrics["score"] == 0
    assert only_run(path, reward_field="metadata.verifier_result.rewards.rate").metrics["score"] == pytest.approx(0.5)


def test_a_constant_reward_is_reported_as_it_stands(tmp_path: Path) -> None:
    run = only_run(lines(tmp_path / "a.jsonl", [row(n, 0, 2.0, reward_components={"a": 1.0}) for n in range(3)]))
    assert (run.metrics["score"], run.scale, run.buckets, run.score_threshold) == (2.0, "native", None, None)


# 20. rewards outside the unit
@pytest.mark.parametrize("rewards", [[-100.0, 19.4], [-1.5, -0.78], [0.0, 10.0], [0.2, 0.7]])
def test_without_a_threshold_there_is_no_pass_to_count(tmp_path: Path, rewards: list[float]) -> None:
    run = only_run(lines(tmp_path / "a.jsonl", [row(n, 0, value) for n, value in enumerate(rewards)]))
    assert run.metrics["score"] == pytest.approx(sum(rewards) / 2)
    assert (run.buckets, run.score_threshold) == (None, None)
    assert run.scale == ("unit" if all(0 <= value <= 1 for value in rewards) else "native")


def test_a_rewards_last_digit_does_not_cost_a_pass(tmp_path: Path) -> None:
    rows = [row(0, 0, 0.9999999999999998), row(1, 0, 1.0000000000000004), row(2, 0, 1), row(3, 0, 0)]
    run = only_run(lines(tmp_path / "a.jsonl", rows))
    assert (run.scale, run.pass_source) == ("unit", "binary rewards")
    assert run.buckets == {"always": 3, "sometimes": 0, "never": 1, "missing": 0}


# 21. the verifier changed, not the model
def test_the_same_outputs_under_two_verifiers_have_the_same_output_hash(tmp_path: Path) -> None:
    one = read(lines(tmp_path / "one.jsonl", [row(n, 0, 0.2) for n in range(5)]))[0]
    again = [row(n, 0, 0.5, response=response(message(f"It is {2 * n}, said 0."), id="other")) for n in range(5)]
    two = read(lines(tmp_path / "two.jsonl", again))[0]
    assert one.facts.sort("line")["output_hash"].equals(two.facts.sort("line")["output_hash"])


# 22. token usage in five dialects
@pytest.mark.parametrize(
    ("usage", "state", "tokens"),
    [
        ({"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}, "ok", (7, 3)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}, "chat", (7, 3)),
        ({"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}, "zero", (0, 0)),
        (None, "null", (None, None)),
        (ABSENT, "absent", (None, None)),
        ({"input_tokens": "many", "output_tokens": None}, "null", (None, None)),
    ],
)
def test_each_dialect_of_token_usage_is_known(tmp_path: Path, usage: Any, state: str, tokens: object) -> None:
    told = response(message("hi"), usage=usage)
    if usage is ABSENT:
        del told["usage"]
    (run,) = read(lines(tmp_path / "a.jsonl", [row(0, response=told, input_tokens=106804)]))
    assert run.facts.select("usage_state", "input_tokens", "output_tokens").row(0) == (state, *tokens)  # type: ignore[misc]


def test_unknown_tokens_are_left_out_and_not_taken_for_zero(tmp_path: Path) -> None:
    none = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    rows = [row(0), row(1, response=response(message("hi"), usage=none)), row(2, response=response(message("hi")))]
    run = only_run(lines(tmp_path / "a.jsonl", rows))
    assert "5" in json.dumps(run.tokens)
    assert ": 0.0" not in json.dumps(run.tokens)


# 23. mixed provenance
def test_several_models_and_temperatures_in_one_file_are_all_told(tmp_path: Path) -> None:
    rows = [row(n, response=response(message("x"), model=model)) for n, model in enumerate(["m", "", "m", "synthetic"])]
    rows[3]["responses_create_params"] = request("t", temperature=0.0)
    run = only_run(lines(tmp_path / "a.jsonl", rows))
    assert run.provenance.models == {"m": 2, "synthetic": 1}
    assert run.provenance.sampling_varies == ("temperature",)


# 24. awkward values and keys
def test_awkward_keys_and_values_are_kept_apart(tmp_path: Path) -> None:
    odd: dict[str, Any] = {"Bench/Regular Text": 1.0, "a.b": 2, "a": {"b": 3}}
    rows = [row(0, **odd, expected=["x"], strict=0.5), row(1, **odd, expected="x")]
    found = {field["field"]: field for field in only_run(lines(tmp_path / "x.jsonl", rows)).fields}
    assert {"Bench/Regular Text", "a\\.b", "a.b", "strict"} <= set(found)
    assert found["strict"]["absent"] == 1


def test_rewards_inside_nested_copies_are_not_the_rows_reward(tmp_path: Path) -> None:
    nested = {"reward": 1.0, "response": response(message("inner")), "_ng_task_index": 7}
    rows = [row(n, 0, 0.0, delegated_response=nested, judge_evaluations=[nested]) for n in range(3)]
    analysis = analysed(lines(tmp_path / "a.jsonl", rows))
    assert (analysis.runs[0].metrics["score"], analysis.runs[0].tasks) == (0, 3)
    assert "duplicate-key" not in flaws(analysis)


def test_a_missing_last_newline_and_think_tags_are_harmless(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [row(0, response=response(message("<think>hm</think>It is 0."))), row(1)])
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    (run,) = read(path)
    assert run.facts.height == 2
    assert run.facts["final_chars"].to_list()[0] == len("It is 0.")


# 25. sidecars that do not line up
def test_rows_without_index_beside_indexed_inputs_are_joined_by_text(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [bare(n) for n in range(4)])
    lines(tmp_path / "a_materialized_inputs.jsonl", [given(n) for n in range(5)])
    chain = only_run(path).denominator
    assert (chain.expected_source, chain.expected, chain.graded) == ("manifest", 5, 4)
    assert [(loss.reason[:7], loss.rollouts) for loss in chain.losses] == [("missing", 1)]


def test_a_clean_empty_failures_file_says_nothing(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [row(0)])
    lines(tmp_path / "a_failures.jsonl", [])
    analysis = analysed(path)
    assert [file.kind for file in analysis.runs[0].files] == ["gym_rollouts", "gym_failures"]
    assert (analysis.flaws, analysis.runs[0].statuses) == ((), {"ok": 1})


def test_failures_of_an_earlier_run_at_the_same_path_are_set_aside(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [row(n) for n in range(3)])
    lines(tmp_path / "a_materialized_inputs.jsonl", [given(n) for n in range(3)])
    old = [row(n, 0, 0.0, _ng_failure_class="transient") for n in range(10, 14)]
    lines(tmp_path / "a_failures.jsonl", old)
    analysis = analysed(path)
    assert flaws(analysis)["stale-failures"] == 4
    assert analysis.runs[0].statuses == {"ok": 3}


def test_a_manifest_of_another_run_is_left_aside(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [row(n) for n in range(3)])
    lines(tmp_path / "a_materialized_inputs.jsonl", [given(n) for n in range(50, 60)])
    analysis = analysed(path)
    assert "manifest-does-not-match" in flaws(analysis)
    assert analysis.runs[0].denominator.expected_source == "inferred"


def test_an_aggregate_that_disagrees_with_the_rows_is_said(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [row(0), row(1, reward=0.0)])
    told = {"agent_ref": {"name": "an_agent"}, "agent_metrics": {"mean/reward": 0.9}, "group_level_metrics": []}
    (tmp_path / "a_aggregate_metrics.json").write_text(json.dumps([told], indent=2))
    analysis = analysed(path)
    assert "sidecar-disagrees" in flaws(analysis)
    assert analysis.runs[0].metrics["score"] == pytest.approx(0.5)
