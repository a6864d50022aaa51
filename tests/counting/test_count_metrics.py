"""Scores, pass@k, buckets and tokens of small runs, through files."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from tests.examples import examples
from tests.gym_rows import given, message, only_run, response, row, write

from blade.counting.metrics import TaskRows, common_k
from blade.summary.run_summary import run_summary

Count = Callable[..., dict[str, Any]]


def unequal(folder: Path) -> Path:
    """GOLD-1.3: t1 = 1111, t2 = 00, t3 = 100, t4 = 1."""
    outcomes = ("1111", "00", "100", "1")
    rows = [row(t, a, float(c)) for t, word in enumerate(outcomes) for a, c in enumerate(word)]
    return write(folder / "rollouts.jsonl", rows)


def test_unequal_repeats_weigh_every_task_alike(tmp_path: Path, counted: Count) -> None:
    run = counted(unequal(tmp_path), repeats=4)["runs"][0]
    metrics = run["metrics"]
    assert metrics["score"] == pytest.approx(0.583333, abs=1e-6)
    assert metrics["micro"] == pytest.approx(0.6, abs=1e-12)
    assert metrics["pass_at_k"]["2"] == pytest.approx(0.555556, abs=1e-6)
    assert metrics["tasks_used"] == {"1": 4, "2": 3, "3": 2, "4": 1}
    assert metrics["coverage"] == pytest.approx(0.625, abs=1e-12)
    assert metrics["score_zero_fill"] == pytest.approx(0.375, abs=1e-12)
    assert run["denominator"]["bounds"] == pytest.approx([0.375, 0.75], abs=1e-12)
    assert run["expected"] == 16
    assert run["statuses"] == {"missing": 6, "ok": 10}
    assert run["buckets"] == {"always": 2, "sometimes": 1, "never": 1, "missing": 0}


def test_the_same_numbers_come_out_where_a_manifest_expects_the_rows(tmp_path: Path, counted: Count) -> None:
    unequal(tmp_path)
    write(tmp_path / "rollouts_materialized_inputs.jsonl", [given(t, a) for t in range(4) for a in range(4)])
    run = counted(tmp_path)["runs"][0]
    assert run["denominator"]["expected_source"] == "manifest"
    assert run["metrics"]["score_zero_fill"] == pytest.approx(0.375, abs=1e-12)
    assert run["denominator"]["bounds"] == pytest.approx([0.375, 0.75], abs=1e-12)


def test_tasks_that_a_limit_expects_and_no_file_names_count_as_tasks(tmp_path: Path, counted: Count) -> None:
    path = write(tmp_path / "a.jsonl", [row(t, a) for t in range(2) for a in range(3)])
    run = counted(path, repeats=3, limit=4)["runs"][0]
    assert run["expected"] == 12
    assert run["metrics"]["score_zero_fill"] == pytest.approx(0.5)
    assert run["denominator"]["bounds"] == pytest.approx([0.5, 1.0])
    assert run["statuses"] == {"missing": 6, "ok": 6}


def test_the_score_never_depends_on_who_was_broken_but_the_evaluable_score_does(tmp_path: Path, counted: Count) -> None:
    broken = response(error={"code": "server_error", "message": "503 Service Unavailable"})
    rows = [row(0, 0), row(0, 1, 0.0, response=broken), row(1, 0), row(1, 1, 0.0)]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert run["statuses"] == {"infrastructure": 1, "ok": 3}
    assert run["metrics"]["score"] == pytest.approx(0.5)
    assert run["metrics"]["evaluable"]["score"] == pytest.approx(0.75)
    assert run["metrics"]["evaluable"]["rollouts"] == 3
    assert run["buckets"] == {"always": 0, "sometimes": 2, "never": 0, "missing": 0}
    assert run["buckets_evaluable"] == {"always": 1, "sometimes": 1, "never": 0, "missing": 0}


def test_a_task_without_any_evaluable_row_is_missing_among_the_evaluable(tmp_path: Path, counted: Count) -> None:
    broken = response(error={"code": "server_error", "message": "503 Service Unavailable"})
    rows = [row(0, a) for a in (3, 8)] + [row(1, a, 0.0, response=broken) for a in (2, 5, 9)]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert run["denominator"]["expected_source"] == "unknown"
    assert run["buckets"] == {"always": 1, "sometimes": 0, "never": 1, "missing": 0}
    assert run["buckets_evaluable"] == {"always": 1, "sometimes": 0, "never": 0, "missing": 1}


def test_a_task_whose_only_row_has_no_score_is_still_a_task(tmp_path: Path, counted: Count) -> None:
    rows = [row(0, a) for a in (3, 8)] + [row(1, a, None) for a in (2, 5, 9)]
    made = counted(write(tmp_path / "a.jsonl", rows))
    run = made["runs"][0]
    assert run["tasks"] == 2
    assert run["buckets"] == {"always": 1, "sometimes": 0, "never": 0, "missing": 1}
    assert [task["runs"]["a"]["bucket"] for task in made["tasks"]] == ["always", "missing"]
    assert run["metrics"]["tasks"] == 1


def test_common_k_is_what_all_but_a_twentieth_reach() -> None:
    tasks = [TaskRows(str(n), (1.0,) * n, n, (None,) * n) for n in [1, *[4] * 20]]
    assert common_k(tasks) == 4  # one of 21 is less than a twentieth
    assert common_k(tasks[:20]) == 1
    assert common_k([]) == 0


def test_medians_of_tokens_leave_out_what_is_zero_or_absent(tmp_path: Path, counted: Count) -> None:
    def used(tokens: int | None) -> Any:
        return response(message("x"), usage=None if tokens is None else {"input_tokens": 9, "output_tokens": tokens})

    rewards = [(100, 1.0), (300, 1.0), (50, 0.0), (0, 0.0), (None, 0.0)]
    rows = [row(t, 0, reward, response=used(tokens)) for t, (tokens, reward) in enumerate(rewards)]
    tokens = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]["tokens"]["output"]
    assert tokens["pass"] == {"median": 200.0, "n": 2}
    assert tokens["fail"] == {"median": 50.0, "n": 1}
    assert tokens["all"] == {"median": 100.0, "n": 3}


def test_endings_say_how_rollouts_stop(tmp_path: Path, counted: Count) -> None:
    call = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"}
    answer = {"type": "function_call_output", "call_id": "c", "output": "nothing"}
    rows = [row(0), row(1, response=response(call, answer)), row(2, 0, 0.0, response=response(call, answer))]
    run = counted(write(tmp_path / "a.jsonl", rows))["runs"][0]
    assert run["endings"] == {"message": {"rollouts": 1, "passed": 1}, "output": {"rollouts": 2, "passed": 1}}


def unplaced(value: Any) -> Any:
    """The analysis without the places of rows and the fingerprints of files."""
    if isinstance(value, dict):
        return {key: unplaced(inner) for key, inner in value.items() if key not in {"line", "offset", "fingerprint"}}
    return [unplaced(inner) for inner in value] if isinstance(value, list) else value


def mixed_rows() -> list[dict[str, Any]]:
    """Copies, contradictions, gaps, crashes, cuts, a missing score and rows without a stamp of the attempt."""
    rows = [row(t, a, float((t * a) % 3 == 0), level="hard" if t % 2 else "easy") for t in range(6) for a in range(3)]
    rows[4] |= {"response": response(error={"code": "x", "message": "connection refused"})}
    rows[7] |= {"response": response(message("x"), incomplete_details={"reason": "max_output_tokens"})}
    rows[9]["reward"] = None
    again = {**rows[0], "response": {**rows[0]["response"], "incomplete_details": {"reason": "max_output_tokens"}}}
    other = {**rows[2], "reward": 0.25}
    del rows[12]["_ng_rollout_index"], rows[13]["_ng_rollout_index"], rows[14]["_ng_rollout_index"]
    return [*rows[:16], rows[1], again, other]


@examples(25)
@drawn(st.integers(0, 10**6))
def test_the_order_of_rows_changes_nothing(tmp_path_factory: pytest.TempPathFactory, counted: Count, seed: int) -> None:
    folder = tmp_path_factory.mktemp("order")
    rows = mixed_rows()
    failures = [
        {**given(7, 1), "_ng_failure_class": name, "_ng_attempt_index": retry}
        for retry, name in [(1, "transient"), (2, "judge_failed"), (3, "incomplete")]
    ]
    write(folder / "rollouts_failures.jsonl", failures)
    straight = counted(write(folder / "rollouts.jsonl", rows))
    draw = random.Random(seed)
    draw.shuffle(rows)
    draw.shuffle(failures)
    write(folder / "rollouts_failures.jsonl", failures)
    assert unplaced(counted(write(folder / "rollouts.jsonl", rows))) == unplaced(straight)


def test_a_tool_that_closes_the_rollout_is_no_output_to_stop_on(tmp_path: Path) -> None:
    """Three hand the case over and one stops on a look; a tool that is called all along closes nothing."""

    def ends(task: int, *tools: str) -> Any:
        calls = [
            item
            for place, tool in enumerate(tools)
            for item in (
                {"type": "function_call", "call_id": f"c{place}", "name": tool, "arguments": "{}"},
                {"type": "function_call_output", "call_id": f"c{place}", "output": "so it is"},
            )
        ]
        return row(task, reward=float(task < 2), response=response(*calls))

    rows = [ends(task, "look", "look", "pass_on") for task in range(3)] + [ends(3, "look", "look")]
    rows += [row(task) for task in range(4, 8)]
    run = only_run(write(tmp_path / "one.jsonl", rows))
    assert run.endings["closing tool"] == {"rollouts": 3, "passed": 2}
    assert run.endings["output"] == {"rollouts": 1, "passed": 0}
    short = [ends(task, "pass_on") for task in range(8, 10)]
    only = only_run(write(tmp_path / "short.jsonl", [*rows, *short]))
    assert only.endings["closing tool"]["rollouts"] == 5, "a rollout of one call does not tell against it"
    stops = [ends(task, "look", "look") for task in range(3)]
    silent = [row(task, response=response()) for task in range(3, 13)]
    usual = only_run(write(tmp_path / "usual.jsonl", [*stops, *silent]))
    assert not [said for said in run_summary(usual) if "on a tool's output" in said.text], "so all transcripts end"
    assert [said for said in run_summary(run) if "1 rollout ends on a tool's output" in said.text]
    looks = [ends(task, "open", "look", "look") for task in range(4)] + rows[4:]
    assert only_run(write(tmp_path / "two.jsonl", looks)).endings["output"]["rollouts"] == 4
