"""Harbor jobs and ATIF trajectories: what is easily read wrongly."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.formats import trails
from tests.formats.samples import harbor as made

from blade import api
from blade.engine.discover import discover
from blade.options import Options
from blade.translate.atif import continued, trajectory


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def rows_at(*paths: Path | str) -> list[dict[str, Any]]:
    (plan,) = discover(paths)
    assert plan.translated is not None
    return [orjson.loads(line) for line in plan.translated.path.read_bytes().splitlines()]


def single_row(folder: Path) -> dict[str, Any]:
    (row,) = rows_at(folder)
    return row


def single(folder: Path, reward: float | None, **changes: Any) -> dict[str, Any]:
    made.write_trial(folder, "mend-the-roof", 0, reward, 1, **changes)
    return single_row(folder)


def test_what_was_not_graded_is_no_zero_and_the_stated_mean_counts_it_as_one(tmp_path: Path) -> None:
    (job,) = made.write(tmp_path)
    analysis = api.analyze_runs(api.read(job), Options())
    (run,) = analysis.runs
    assert (run.denominator.graded, run.denominator.expected) == (5, 6)
    assert run.metrics["score_zero_fill"] == pytest.approx(4 / 6)
    assert not [item for item in analysis.health if item["check"] == "summary_files"]


def test_the_source_says_why_a_trial_has_no_reward(tmp_path: Path) -> None:
    """Without its word, a row that has neither response nor score would count as broken by infrastructure."""
    for number in range(3):
        trial = made.write_trial(tmp_path, f"task-{number}", 0, None if number else 1.0, number)
        shutil.rmtree(trial / "verifier", ignore_errors=True)
    (run,) = api.analyze_runs(api.read(tmp_path), Options()).runs
    assert run.statuses == {"timed_out": 2, "ok": 1}


def test_a_mean_that_the_trials_do_not_give_is_said(tmp_path: Path) -> None:
    (job,) = made.write(tmp_path)
    stated = json.loads((job / "result.json").read_text())
    stated["stats"]["evals"]["house-agent__house-model__yard"]["metrics"] = [{"mean": 0.9}]
    made.write_json(job / "result.json", stated)
    (item,) = [item for item in api.analyze_runs(api.read(job), Options()).health if item["check"] == "summary_files"]
    assert "state a score of 90.0%" in item["statement"]


def test_attempts_are_counted_in_the_order_they_started(tmp_path: Path) -> None:
    made.write_trial(tmp_path, "mend-the-roof", 0, 1.0, 2, started_at="2026-01-02T05:00:00Z")
    made.write_trial(tmp_path, "mend-the-roof", 0, 0.0, 3, started_at="2026-01-02T04:00:00Z")
    assert [(row["_ng_rollout_index"], row["reward"]) for row in rows_at(tmp_path)] == [(0, 0.0), (1, 1.0)]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("AgentTimeoutError", "timed_out"),
        ("ContextWindowExceededError", "truncated"),
        ("RewardFileNotFoundError", "verifier_error"),
        ("EnvironmentStartTimeoutError", "infrastructure"),
        ("ApiConnectionError", "infrastructure"),
        ("NonZeroAgentExitCodeError", None),
    ],
)
def test_an_exception_says_what_happened_in_its_own_word(tmp_path: Path, name: str, status: str | None) -> None:
    row = single(
        tmp_path, 0.0, exception_info={"exception_type": name, "exception_message": "Command failed (exit 1): x"}
    )
    assert row["_translated"].get("status") == status
    assert row["_translated"]["reason"] == name
    assert row["agent_exit_code"] == 1
    assert row["reward"] == 0.0  # a reward may stand beside an exception


def test_the_tests_of_the_verifier_are_its_checks(tmp_path: Path) -> None:
    assert single(tmp_path, 0.0)["verifier"]["tests"] == {"test_tidy": "passed", "test_done": "failed"}


def test_a_failed_test_says_why_where_the_output_of_the_verifier_does_not(tmp_path: Path) -> None:
    trial = made.write_trial(tmp_path, "mend-the-roof", 0, 0.0, 1)
    trace = "def test_done():\n>   assert tiles == 40\nE   AssertionError: 38 tiles\n\n/tests/roof.py:9: AssertionError"
    tests = [{"name": "test_done", "status": "failed", "message": "The test failed", "trace": trace}]
    (trial / "verifier" / "ctrf.json").write_text(json.dumps({"results": {"tests": tests}}))
    assert single_row(tmp_path)["verifier"]["test_messages"] == {"test_done": f"The test failed\n{trace}"}
    (trial / "verifier" / "test-stdout.txt").write_text(f"1 test ran\n{trace}\n")
    assert single_row(tmp_path)["verifier"]["test_messages"] == {"test_done": "The test failed"}


def test_of_a_long_output_of_the_verifier_both_ends_are_kept(tmp_path: Path) -> None:
    """Tests that fail early and print much afterwards say why at the beginning."""
    trial = made.write_trial(tmp_path, "mend-the-roof", 0, 0.0, 1)
    (trial / "verifier" / "test-stdout.txt").write_text("E   assert 38 == 40\n" + "wood\n" * 20_000 + "1 failed")
    printed = single_row(tmp_path)["verifier"]["test_stdout"]
    assert printed.startswith("E   assert 38 == 40")
    assert printed.endswith("1 failed")
    assert len(printed) < 41_000


def test_a_long_exception_keeps_both_ends(tmp_path: Path) -> None:
    message = "Command failed (exit 1): agent --task 'roof'\n" + "wood\n" * 2000 + "TypeError: Unknown option"
    told = {"exception_type": "NonZeroAgentExitCodeError", "exception_message": message}
    made_row = single(tmp_path, 0.0, exception_info=told)
    assert made_row["exception"]["text"].startswith("Command failed")
    assert made_row["exception"]["text"].endswith("TypeError: Unknown option")
    assert made_row["agent_exit_code"] == 1


def test_the_first_of_several_rewards_counts_unless_one_is_called_reward(tmp_path: Path) -> None:
    row = single(tmp_path, 0.0, verifier_result={"rewards": {"speed": 0.3, "reward": 1}})
    assert row["reward"] == 1.0
    assert row["verifier"]["scores"] == {"reward": 1.0, "speed": 0.3}


def test_a_killed_trial_is_a_row_with_what_its_verifier_wrote(tmp_path: Path) -> None:
    made.write(tmp_path)
    job = tmp_path / "jobs" / "2026-01-02__03-04-05"
    killed = made.write_trial(job, "sweep-the-path", 0, 1.0, 9)
    (killed / "result.json").unlink()
    (killed / "verifier" / "reward.txt").write_text("1.0\n")
    shutil.rmtree(job / "fill-the-well__aB3dE05" / "agent", ignore_errors=True)
    row = next(row for row in rows_at(job) if row["task_id"] == "sweep-the-path")
    assert row["reward"] == 1.0
    assert row["_translated"]["reason"] == "the trial has no result.json"


def test_a_job_that_lost_its_own_file_is_known_by_its_trials_and_jobs_by_a_glob_are_one_run(tmp_path: Path) -> None:
    for batch in ("one", "two"):
        made.write_trial(tmp_path / batch, f"task-{batch}", 0, 1.0, 1)
    assert [row["task_id"] for row in rows_at(tmp_path / "one")] == ["task-one"]
    assert [row["task_id"] for row in rows_at(f"{tmp_path}/*/*/result.json")] == ["task-one", "task-two"]


def test_two_agents_of_one_job_are_two_runs(tmp_path: Path) -> None:
    made.write_trial(tmp_path, "mend-the-roof", 0, 1.0, 1)
    other = {"name": "guest-agent", "version": "2", "model_info": None}
    made.write_trial(tmp_path, "mend-the-roof", 0, 0.0, 2, agent_info=other)
    assert [plan.name for plan in discover([tmp_path])] == ["house-agent@house/model", "guest-agent@house/model"]


def test_steps_of_a_multi_step_task_are_checks_and_their_mean_counts(tmp_path: Path) -> None:
    steps = [
        {"step_name": name, "verifier_result": {"rewards": {"reward": value}}}
        for name, value in (("dig", 1), ("plant", 0))
    ]
    row = single(tmp_path, 0.0, verifier_result=None, step_results=steps)
    assert row["reward"] == 0.5
    assert row["verifier"]["steps"] == {"dig": 1.0, "plant": 0.0}


def test_a_trajectory_among_the_artifacts_is_read_and_without_one_there_is_no_response(tmp_path: Path) -> None:
    trial = made.write_trial(tmp_path, "mend-the-roof", 0, 1.0, 1)
    (trial / "artifacts").mkdir()
    (trial / "agent" / "trajectory.json").rename(trial / "artifacts" / "trajectory.json")
    made.write_trial(tmp_path, "fill-the-well", 0, None, 2)
    read, absent = rows_at(tmp_path)
    assert [item["type"] for item in read["response"]["output"]] == [
        "reasoning", "message", "function_call", "function_call_output", "message",
    ]  # fmt: skip
    assert "output" not in absent["response"]
    assert absent["transcript_kept"] is False


def test_side_chains_are_left_out_and_what_a_terminal_shows_is_the_environments() -> None:
    steps = [
        {"source": "agent", "message": "I am a helper.", "extra": {"is_sidechain": True}},
        {"source": "system", "message": "Be brief."},
        {"source": "user", "message": "Go."},
        {"source": "agent", "message": "ls", "observation": {"results": [{"content": "gate"}]}},
        {"source": "user", "message": "Go on."},
    ]
    whole = trajectory([{"steps": steps}])
    assert [(item["role"], item["content"]) for item in whole.prompt] == [("system", "Be brief."), ("user", "Go.")]
    assert [item["role"] for item in whole.output] == ["assistant", "environment", "user"]


def test_a_continuation_that_names_itself_ends() -> None:
    first = {"steps": [], "continued_trajectory_ref": "more.json"}
    assert len(continued(first, lambda _: first)) == 2


def test_a_file_that_continues_another_is_part_of_its_attempt(tmp_path: Path) -> None:
    _, well = rows_at(*trails.write(tmp_path))
    assert [item["content"] for item in well["response"]["output"]] == ["I carry water.", "The well is full."]
