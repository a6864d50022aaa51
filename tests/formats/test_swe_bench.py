"""SWE-bench: verdicts, patches and trajectories joined by the instance; what a leaderboard does not name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.formats.samples import swe_bench as sample

from blade import api
from blade.counting.run import Run
from blade.evidence import open_row
from blade.options import Options
from blade.translate.swe_trajectory import trajectory_parts


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def read(*paths: Path) -> dict[str, Run]:
    return {run.name: run for run in api.read(*paths, options=Options(cache=False))}


def test_an_instance_that_only_another_submission_resolves_is_a_failure_here(tmp_path: Path) -> None:
    first, second, _ = sample.write(tmp_path)
    runs = read(first, second)
    scores = {rollout.task: rollout.score for rollout in runs["first"].rollouts()}
    assert scores == {f"lanterns__lamp-{number}": float(number in {1, 2}) for number in range(1, 6)}


def test_the_size_of_the_split_counts_instances_that_no_file_names(tmp_path: Path) -> None:
    board = tmp_path / "verified"
    results = board / "night-pro" / "results"
    results.mkdir(parents=True)
    ids = [f"lanterns__lamp-{number}" for number in range(100)]
    (results / "results.json").write_text(json.dumps({"no_generation": [], "no_logs": [], "resolved": ids}))
    analysis = api.analyze(board / "night-pro", options=Options(cache=False))
    (run,) = analysis.runs
    assert (run.tasks, run.metrics["score"]) == (500, 0.2)  # the split is the folder's, not a word of the run's name
    assert not [item for item in analysis.health if item["check"] == "summary_files"]


def test_reports_predictions_and_trajectories_are_joined(tmp_path: Path) -> None:
    run = read(sample.write(tmp_path)[2])["mini"]
    rollouts = {rollout.task[-1]: rollout for rollout in run.rollouts()}
    assert {task: (one.score, one.status.value) for task, one in rollouts.items()} == {
        "1": (1.0, "ok"),
        "2": (0.0, "ok"),
        "3": (0.0, "timed_out"),
    }
    row = open_row(rollouts["3"].source)
    assert row["model_patch"] == "diff --git a/w.py b/w.py"
    assert row["verifier"]["tests_status"]["FAIL_TO_PASS"] == {"success": [], "failure": ["test_lit"]}
    checks = dict(run.facts.select("label", "checks").rows())
    assert checks["lanterns__lamp-1"] == '{"test_lit":1}', "the tests behind a verdict are its checks"
    assert row["metadata"] == {"repository": "lanterns/lamp"}
    kinds = [(item["type"], item.get("role", "")) for item in row["response"]["output"]]
    assert kinds == [
        ("message", "assistant"),
        ("function_call", ""),
        ("function_call_output", ""),
        ("message", "assistant"),
        ("message", "user"),
    ]


def test_a_run_report_alone_is_a_run(tmp_path: Path) -> None:
    whole = {"total_instances": 4, "resolved_instances": 1, "resolved_ids": ["a__a-1"], "unresolved_ids": ["a__a-2"]}
    whole |= {"error_ids": ["a__a-3"], "empty_patch_ids": ["a__a-4"], "schema_version": 2}
    (tmp_path / "night.json").write_text(json.dumps(whole))
    run = read(tmp_path / "night.json")["night"]
    found = {rollout.task[-1]: (rollout.score, rollout.status.value) for rollout in run.rollouts()}
    assert found == {"1": (1.0, "ok"), "2": (0.0, "ok"), "3": (None, "verifier_error"), "4": (0.0, "ok")}


def test_steps_of_swe_agent_are_thought_call_and_result() -> None:
    whole = {
        "history": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "demo", "is_demo": True},
            {"role": "user", "content": "issue"},
            {"role": "assistant", "content": "x"},
        ],
        "trajectory": [{"action": "open lamp.py\n", "observation": "[File]", "response": "First I look."}],
        "info": {"exit_status": "submitted (exit_cost)", "model_stats": {"tokens_sent": 12, "tokens_received": 3}},
    }
    parts = trajectory_parts(whole)
    assert parts is not None
    assert [item["content"] for item in parts.prompt] == ["s", "issue"]
    assert [item.get("name", item.get("output", item.get("content"))) for item in parts.output] == [
        "First I look.",
        "open",
        "[File]",
    ]
    assert (parts.usage, parts.ended) == ({"input_tokens": 12.0, "output_tokens": 3.0}, "submitted (exit_cost)")


def test_what_a_model_was_called_with_is_its_sampling() -> None:
    settings = {"temperature": 0.0, "top_p": None, "api_key": "x", "extra_body": {"thinking": 1}}
    talk = [{"role": "user", "content": "issue"}, {"role": "assistant", "content": "Done."}]
    parts = trajectory_parts({"messages": talk, "info": {"config": {"model": {"model_kwargs": settings}}}})
    assert parts is not None
    assert parts.sampling == {"temperature": 0.0}


def test_a_folder_named_by_a_moment_leaves_the_name_to_the_one_given(tmp_path: Path) -> None:
    sample.write(tmp_path)
    outer = tmp_path / "night-5.2"
    outer.mkdir()
    (tmp_path / "mini").rename(outer / "2026-05-10__01-23-57")
    assert list(read(outer)) == ["night-5.2"]


def test_a_leaderboards_lists_say_why_an_instance_was_not_resolved_and_where_they_contradict(tmp_path: Path) -> None:
    board = tmp_path / "lite" / "dim"
    (board / "results").mkdir(parents=True)
    lists = {
        "no_generation": ["l__l-1", "l__l-1", "l__l-2"],
        "generated": ["l__l-2", "l__l-3", "l__l-4", "l__l-5"],
        "test_timeout": ["l__l-3"],
        "resolved": ["l__l-4"],
    }
    (board / "results" / "results.json").write_text(json.dumps(lists))
    by_repository = {"l/l": {"resolved": 1, "total": 2294}}
    (board / "results" / "resolved_by_repo.json").write_text(json.dumps(by_repository))
    (run,) = read(board).values()
    words = {rollout.task: open_row(rollout.source)["verifier"]["outcome"] for rollout in run.rollouts()}
    assert {task: words[f"l__l-{task}"] for task in range(1, 6)} == {
        1: "no_generation",
        2: "no_generation",
        3: "test_timeout",
        4: "resolved",
        5: "unresolved",
    }
    assert words["l__l-5"] == "unresolved"
    analysis = api.analyze(board, options=Options(cache=False))
    flaws = sorted(flaw.statement for flaw in analysis.flaws)
    assert any("names again" in flaw and "no_generation" in flaw for flaw in flaws), flaws
    assert any("stands in generated and in no_generation" in flaw for flaw in flaws), flaws
    (wrong,) = (item for item in analysis.health if item["check"] == "summary_files")
    assert "2294; the rows give 300" in wrong["statement"]


def test_an_end_that_a_later_launch_replaces_is_told(tmp_path: Path) -> None:
    place = sample.write(tmp_path)[2]
    for number, status in (("1.0", "RetryError"), ("2.0", "Submitted")):
        ends = f"instances_by_exit_status:\n  {status}:\n  - lanterns__lamp-1\n"
        (place / f"exit_statuses_{number}.yaml").write_text(ends)
    flaws = [flaw.statement for flaw in api.analyze(place, options=Options(cache=False)).flaws]
    assert any("RetryError" in flaw and "later launch" in flaw for flaw in flaws), flaws
    rows = [open_row(rollout.source) for rollout in read(place)["mini"].rollouts()]
    assert [row["_translated"].get("replaced") for row in rows] == ["RetryError", None, None]


def test_lists_that_name_all_work_tell_what_they_do_not_name_and_what_was_not_applied(tmp_path: Path) -> None:
    board, other = (tmp_path / "lite" / name for name in ("dim", "bright"))
    lists = {
        "no_generation": ["l__l-1", "l__l-2"],
        "generated": ["l__l-2", "l__l-3", "l__l-4"],
        "applied": ["l__l-2", "l__l-3"],
        "resolved": ["l__l-3"],
    }
    for folder, content in ((board, lists), (other, {"resolved": ["l__l-9"], "no_generation": []})):
        (folder / "results").mkdir(parents=True)
        (folder / "results" / "results.json").write_text(json.dumps(content))
    tags = {"tags": {"model": ["lamp-1"], "system": {"attempts": "2+"}}, "info": {"name": "Lantern"}}
    (board / "metadata.yaml").write_text(json.dumps(tags))
    (run,) = read(board).values()
    words = {rollout.task: open_row(rollout.source)["verifier"]["outcome"] for rollout in run.rollouts()}
    assert {task: words[f"l__l-{task}"] for task in (1, 2, 3, 4, 9)} == {
        1: "no_generation",
        2: "unresolved",
        3: "resolved",
        4: "generated and not applied",
        9: "in no list",
    }
    assert (run.agent, run.raw.config["attempts"]) == ("Lantern", "2+")
    (plain,) = read(other).values()
    assert {open_row(rollout.source)["verifier"]["outcome"] for rollout in plain.rollouts()} == {
        "resolved",
        "unresolved",
    }
