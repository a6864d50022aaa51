"""What happened to a row, and what a pass is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import ABSENT, message, read, response, row, states, write

from blade.counting.passing import PassRule, pass_rule

Count = Callable[..., dict[str, Any]]


def status_of(folder: Path, *rows: dict[str, Any]) -> list[str]:
    (run,) = read(write(folder / "a.jsonl", rows))
    return states(run)


def test_a_truncated_pass_is_both(tmp_path: Path) -> None:
    cut = response(message("x"), incomplete_details={"reason": "max_output_tokens"})
    (run,) = read(write(tmp_path / "a.jsonl", [row(0, response=cut), row(1, 0, 0.0)]))
    assert run.facts.sort("line").select("state", "passed").rows() == [("truncated", True), ("ok", False)]
    assert run.evaluable.height == 2


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"verification_skipped": True}, "skipped_verification"),
        ({"response": response(error={"message": "502 Bad Gateway"})}, "infrastructure"),
        ({"reward": None}, "verifier_error"),
        ({"response": ABSENT, "reward": None}, "infrastructure"),
        ({"judge_error": True}, "verifier_error"),
        ({"evaluation_completed": False}, "verifier_error"),
        ({"eval_timed_out": True}, "verifier_error"),
        ({"agent_timed_out": True}, "timed_out"),
        ({"error": "HTTP 503: service unavailable"}, "infrastructure"),
        ({"response": response(message("x"), status="incomplete")}, "truncated"),
        ({"extracted_answer": None}, "malformed"),
        ({"parse_failed": True}, "malformed"),
        ({"error": "expected 4, got 5"}, "ok"),
        ({"error": "failed"}, "ok"),
        ({}, "ok"),
    ],
)
def test_the_status_of_a_failed_row(tmp_path: Path, fields: dict[str, Any], status: str) -> None:
    rows = [row(0), row(1), row(2, 0, 0.0), row(3, 0, **{"reward": 0.0, **fields})]
    if set(fields) == {"evaluation_completed"}:
        rows[:3] = [{**item, "evaluation_completed": True} for item in rows[:3]]
    assert status_of(tmp_path, *rows) == ["ok", "ok", "ok", status]


def test_the_first_status_in_the_order_wins(tmp_path: Path) -> None:
    cut = response(message("x"), incomplete_details={"reason": "max_output_tokens"})
    rows = [row(0), row(1, 0, 0.0, response=cut, agent_timed_out=True, extracted_answer=None)]
    assert status_of(tmp_path, *rows)[1] == "timed_out"
    rows = [row(0), row(1, 0, 0.0, response=cut, extracted_answer=None)]
    assert status_of(tmp_path, *rows)[1] == "truncated"


def test_a_flag_that_good_rows_bear_as_often_is_not_believed(tmp_path: Path, counted: Count) -> None:
    rows = [row(task, 0, float(task < 2), judge_error=True) for task in range(6)]
    made = counted(write(tmp_path / "a.jsonl", rows))
    assert made["runs"][0]["statuses"] == {"ok": 6}
    (flaw,) = made["flaws"]
    assert (flaw["slug"], flaw["rows"]) == ("field-without-signal", 6)
    assert "2 of 2 best-scored rows and 4 of 4 others" in flaw["statement"]


def test_one_good_row_in_many_does_not_silence_a_field(tmp_path: Path, counted: Count) -> None:
    """A retry that worked leaves its message on a pass; the row that it broke is broken all the same."""
    rows = [row(task, 0, float(task < 30)) for task in range(60)]
    rows[0]["error"] = "rate limited by the provider: too many requests"
    rows[59]["error"] = "connection refused"
    made = counted(write(tmp_path / "a.jsonl", rows))
    assert made["runs"][0]["statuses"] == {"infrastructure": 1, "ok": 59}
    assert made["flaws"] == []


def test_a_crash_is_not_believed_of_a_row_that_scored_well(tmp_path: Path) -> None:
    rows = [row(0, error="HTTP 503"), *(row(task, 0, 1.0) for task in range(1, 30)), row(40, 0, 0.0, error="HTTP 503")]
    assert status_of(tmp_path, *rows)[0] == "ok"
    assert status_of(tmp_path, *rows)[-1] == "infrastructure"


def test_an_empty_output_is_a_crash_only_with_an_error_and_where_no_pass_is_empty(tmp_path: Path) -> None:
    empty = response()
    full = [row(0), row(1, 0, 0.0)]
    assert status_of(tmp_path, *full, row(2, 0, 0.0, response=empty))[-1] == "ok"
    crashed = row(2, 0, 0.0, response=empty, exception_type="RuntimeError")
    assert status_of(tmp_path, *full, crashed)[-1] == "infrastructure"
    assert status_of(tmp_path, row(0, response=empty), row(1, 0, 0.0), crashed)[-1] == "ok"


def test_a_missing_answer_says_nothing_where_a_pass_has_none_either(tmp_path: Path) -> None:
    rows = [row(0, extracted_answer=None), row(1), row(2, 0, 0.0, extracted_answer=None)]
    assert status_of(tmp_path, *rows) == ["ok", "ok", "ok"]


def test_boolean_rewards_are_numbers(tmp_path: Path, counted: Count) -> None:
    run = counted(write(tmp_path / "a.jsonl", [row(0, 0, True), row(1, 0, False)]))["runs"][0]
    assert run["metrics"]["score"] == pytest.approx(0.5)
    assert (run["score_threshold"], run["pass_source"]) == (1.0, "binary rewards")
    assert run["buckets"]["always"] == 1


def test_a_reward_a_hair_below_one_is_a_pass(tmp_path: Path, counted: Count) -> None:
    rows = [row(0, 0, 0.9999999999999998), row(1, 0, 0.0), row(2, 0, 1.0000000000000004)]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert run["score_threshold"] == 1.0
    assert run["scale"] == "unit"
    assert run["buckets"] == {"always": 2, "sometimes": 0, "never": 1, "missing": 0}


def test_what_the_user_declares_comes_before_benchmark_toml_and_that_before_the_rewards(
    tmp_path: Path, counted: Count
) -> None:
    path = write(tmp_path / "a.jsonl", [row(0, 0, 0.4), row(1, 0, 0.6), row(2, 0, 0.8)])
    assert counted(path)["runs"][0]["score_threshold"] is None
    (tmp_path / "benchmark.toml").write_text("pass_threshold = 0.5\n", encoding="utf-8")
    assert counted(path)["runs"][0]["buckets"]["always"] == 2
    declared = counted(path, pass_threshold=0.7)["runs"][0]
    assert declared["buckets"]["always"] == 1
    assert (declared["score_threshold"], declared["pass_source"]) == (0.7, "--pass-threshold")


def test_a_flag_in_numbers_is_the_rule_of_runs_on_another_scale(tmp_path: Path, counted: Count) -> None:
    """Every turn pays a little: a game that is won late scores more, and only the flag tells who won."""

    def played(many: int, turns: int) -> list[dict[str, Any]]:
        won = [task % 2 for task in range(many)]
        return [row(task, 0, flag + 0.01 * turns, _solved_metric=float(flag)) for task, flag in enumerate(won)]

    runs = counted(write(tmp_path / "a.jsonl", played(6, 5)), write(tmp_path / "b.jsonl", played(6, 9)))["runs"]
    assert {(run["score_threshold"], run["pass_source"]) for run in runs} == {
        (1.05, "field '_solved_metric' in all runs")
    }
    assert [(run["buckets"]["always"], run["buckets"]["never"]) for run in runs] == [(3, 3)] * 2


def test_a_native_boolean_that_parts_the_rewards_is_the_rule(tmp_path: Path, counted: Count) -> None:
    rows = [row(task, 0, reward, resolved=reward > 0.5) for task, reward in enumerate((0.1, 0.5, 0.7, 0.9))]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert (run["score_threshold"], run["pass_source"]) == (0.7, "field 'resolved'")
    assert run["buckets"]["always"] == 2


@pytest.mark.parametrize("flags", [(True, False, True), (True, True, True), (False, False, False), (True, None, False)])
def test_a_boolean_that_does_not_part_the_rewards_is_no_rule(flags: tuple[bool | None, ...]) -> None:
    rewards = (0.9, 0.5, 0.2)
    rule = pass_rule(rewards, [{"resolved": flag} for flag in flags])
    assert rule.threshold is None
    assert rule.passed(0.9) is None


@pytest.mark.parametrize(
    ("rewards", "flags", "threshold"),
    [
        ((1.15, 1.05, 1.0, 0.15, 0.05, -0.1) * 10, (1, 1, 1, 0, 0, 0) * 10, 1.0),
        ((1.15, 1.05, 1.0, 0.15, 0.05, -0.1) * 10, (1, 1, 2, 0, 0, 0) * 10, None),
        ((1.15, 1.05, 1.0, 0.15, 0.05, -0.1) * 10, (1, 1, 0, 0, 0, 0) * 10, 1.05),
        ((1.15, 1.05, 1.0, 0.15, 0.05, -0.1) * 10, (1, 0, 1, 0, 0, 0) * 10, None),
        ((*(1.15, 1.05, 1.0, 0.15, 0.05, -0.1) * 10, 0.05), (*(1, 1, 1, 0, 0, 0) * 10, None), 1.0),
        ((*(1.15, 1.05, 1.0, 0.15, 0.05, -0.1) * 10, 1.15), (*(1, 1, 1, 0, 0, 0) * 10, None), None),
    ],
)
def test_zeros_and_ones_of_any_name_that_part_graded_rewards_far_from_the_lowest_are_the_rule(
    rewards: tuple[float, ...], flags: tuple[int | None, ...], threshold: float | None
) -> None:
    """A reward of several parts: what is right is one of them, and the few rows that lack it are no passes."""
    assert pass_rule(rewards, [{"vf.ok": flag} for flag in flags]).threshold == threshold


def test_rewards_outside_zero_and_one_keep_their_scale(tmp_path: Path, counted: Count) -> None:
    run = counted(write(tmp_path / "a.jsonl", [row(0, 0, -2.0), row(1, 0, 10.0)]))["runs"][0]
    assert run["scale"] == "native"
    assert run["metrics"]["score"] == pytest.approx(4.0)
    assert run["denominator"]["bounds"] is None
    assert run["buckets"] is None


def test_a_rule_without_a_threshold_judges_nothing() -> None:
    assert PassRule(None, "", "unit").passed(1.0) is None
    assert PassRule(1.0, "", "unit").passed(None) is None
    assert PassRule(1.0, "", "unit").passed(1 - 1e-5) is False


UNKNOWN_SHAPES = [
    {"problem": "What is 2 + 2?", "turns": [{"role": "model", "content": "4"}], "outcome": "solved"},
    {"id": "a-1", "result": {"ok": True}},
    {"response": {"choices": [{"message": {"role": "assistant", "content": "4"}}]}},
    {"history": [{"thought": "I add.", "action": "add"}], "error": "the process ended with an error nobody names"},
]


@pytest.mark.parametrize("shape", UNKNOWN_SHAPES)
def test_a_row_of_an_unknown_shape_is_not_understood_and_nothing_is_said_to_have_broken(
    counted: Count, tmp_path: Path, shape: dict[str, Any]
) -> None:
    data = counted(write(tmp_path / "a.jsonl", [row(0), row(1, 0, 0.0), shape]))
    run = data["runs"][0]
    assert run["statuses"] == {"missing": 1, "ok": 2}
    assert run["denominator"]["losses"] == [{"reason": "not understood", "rollouts": 1}]
    assert [flaw["rows"] for flaw in data["flaws"] if flaw["slug"] == "row-not-understood"] == [1]
    told = " ".join(claim["text"] for claim in data["claims"])
    assert "infrastructure" not in told
    assert "Check 1 row of a in an unknown format" in told


def test_a_transcript_of_another_shape_is_no_empty_output(tmp_path: Path) -> None:
    """With a score the row counts; that its output is empty, and so a crash, nobody can tell."""
    lost = {"error": "the process ended with an error nobody names"}
    turns = [{"role": "model", "content": "4"}]
    rows = [row(0), row(1, 0, 0.0), row(2, 0, 0.0, response=ABSENT, turns=turns, **lost)]
    assert status_of(tmp_path, *rows) == ["ok", "ok", "ok"]
    rows = [row(0), row(1, 0, 0.0), row(2, 0, 0.0, response=response(), **lost)]
    assert status_of(tmp_path, *rows) == ["ok", "ok", "infrastructure"]


def _late(task: int, attempt: int, reward: float, *output: Any) -> dict[str, Any]:
    verifier = {"failure_mode": "agent_timeout", "results": {"check": "passed" if reward else "failed"}}
    return row(task, attempt, reward, response=response(*output), verifier=verifier)


def _call(name: str) -> list[dict[str, Any]]:
    call = {"type": "function_call", "name": name, "arguments": "{}", "call_id": "c"}
    return [call, {"type": "function_call_output", "call_id": "c", "output": "done"}]


def test_a_word_for_a_time_limit_is_believed_of_rows_that_are_seen_to_be_cut(tmp_path: Path) -> None:
    """Passes bear the word as often; of the failures some had handed in, some stop on the way, one shows nothing."""
    rows = [_late(task, 0, 1.0, *_call("look"), *_call("submit")) for task in range(4)]
    rows += [_late(task, 1, 0.0, *_call("look"), *_call("submit")) for task in range(2)]
    rows += [_late(task, 1, 0.0, *_call("look")) for task in range(2, 4)]
    rows += [_late(4, 0, 0.0)]
    rows += [row(task, 0, 0.0, verifier={"failure_mode": "unset", "results": {"check": "failed"}}) for task in (5, 6)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert states(run) == ["ok"] * 6 + ["timed_out"] * 2 + ["ok"] * 3
    (flaw,) = [flaw for flaw in run.flaws if flaw.slug == "field-without-signal"]
    assert flaw.statement.endswith(
        "was believed only of 2 whose own record stops before an end (6 had ended by themselves)"
    )


def test_a_waiting_shell_is_no_end_of_work_that_never_began(tmp_path: Path) -> None:
    """The row of task 4 shows a screen on which a shell waits and no turn of the model, where the others work."""
    screen = {"type": "message", "role": "environment", "content": "Unpacking libjars ...\nroot@box:/app#"}
    rows = [_late(task, 0, 1.0, *_call("look"), *_call("submit")) for task in range(4)]
    rows += [_late(task, 1, 0.0, *_call("look")) for task in range(2)]
    rows += [_late(4, 0, 0.0, screen)]
    rows += [row(task, 0, 0.0, verifier={"failure_mode": "unset", "results": {"check": "failed"}}) for task in (5, 6)]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert run.facts["signals"].to_list()[6] == ["timed_out|ended|verifier.failure_mode|agent_timeout"]
    (flaw,) = [flaw for flaw in run.flaws if flaw.slug == "field-without-signal"]
    assert "(4 had ended by themselves)" in flaw.statement


NOTICE = "GIVEN UP: HTTP timeout after 2 tries (90 s each)"


def _noted(task: int, text: str, **fields: Any) -> dict[str, Any]:
    return row(task, reward=0.0, response=response(message(text)), **{"extracted_answer": ABSENT, **fields})


def test_a_lone_message_that_the_verifier_repeats_and_that_tells_of_trouble_is_no_answer(tmp_path: Path) -> None:
    rows = [row(0), row(1), _noted(2, NOTICE, verifier={"explanation": NOTICE}), _noted(3, NOTICE)]
    assert status_of(tmp_path, *rows) == ["ok", "ok", "infrastructure", "ok"]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (NOTICE, {"final_answer": NOTICE}),
        (NOTICE, {"verifier": {"explanation": f"Wrong: {NOTICE}"}}),
        ("The door is to the left.", {"verifier": {"explanation": "The door is to the left."}}),
    ],
)
def test_an_answer_about_trouble_stays_an_answer(tmp_path: Path, text: str, fields: dict[str, Any]) -> None:
    assert status_of(tmp_path, row(0), row(1), _noted(2, text, **fields)) == ["ok", "ok", "ok"]


def _graded(number: int, *, flag: bool | None = None, line: float = 0.7) -> Any:
    reward = round(0.05 * (number % 21), 2)
    return row(number, 0, reward, signed_off=reward >= line if flag is None else flag)


def test_a_boolean_of_any_name_that_parts_graded_rewards_says_what_a_pass_is(tmp_path: Path, counted: Count) -> None:
    (run,) = counted(write(tmp_path / "rollouts.jsonl", [_graded(number) for number in range(63)]))["runs"]
    assert (run["score_threshold"], run["pass_source"]) == (0.7, "field 'signed_off'")


@pytest.mark.parametrize("line", [0.05, 1.0])
def test_a_flag_for_any_reward_or_for_a_handful_of_rows_says_nothing(
    line: float, tmp_path: Path, counted: Count
) -> None:
    rows = [_graded(number, line=line) for number in range(63)]
    assert counted(write(tmp_path / "rollouts.jsonl", rows))["runs"][0]["score_threshold"] is None


def test_a_flag_here_and_there_is_no_pass(tmp_path: Path, counted: Count) -> None:
    rows = [_graded(number, flag=number % 2 > 0) for number in range(63)]
    assert counted(write(tmp_path / "rollouts.jsonl", rows))["runs"][0]["score_threshold"] is None


@pytest.mark.parametrize(
    ("fields", "threshold"),
    [
        ({"reward_pass_threshold": 0.6}, 0.6),
        ({"grading.passing_mark": 0.5}, 0.5),
        ({"reward_pass_threshold": 7}, None),
        ({"similarity_threshold": 0.6}, None),
        ({"reward_pass_threshold": True}, None),
    ],
)
def test_a_threshold_that_all_rows_state_says_what_a_pass_is(fields: dict[str, Any], threshold: float | None) -> None:
    rewards = [0.0, 0.2, 0.4, 0.55, 0.7, 0.9]
    assert pass_rule(rewards, [fields] * len(rewards)).threshold == threshold


def test_thresholds_that_differ_between_rows_say_nothing() -> None:
    rewards = [0.1, 0.5, 0.9]
    assert pass_rule(rewards, [{"pass_threshold": mark} for mark in (0.4, 0.6, 0.6)]).threshold is None
