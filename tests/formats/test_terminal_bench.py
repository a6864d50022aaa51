"""Terminal-Bench 1 results: what is easily read wrongly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.formats.samples import terminal_bench as made

from blade import api
from blade.engine.discover import discover
from blade.options import Options


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def rows_at(path: Path | str) -> list[dict[str, Any]]:
    (plan,) = discover([path])
    assert plan.translated is not None
    return [orjson.loads(line) for line in plan.translated.path.read_bytes().splitlines()]


def test_files_of_one_folder_are_attempts_and_what_was_not_graded_counts_0_in_the_stated_accuracy(
    tmp_path: Path,
) -> None:
    board, _ = made.write(tmp_path)
    analysis = api.analyze_runs(api.read(board), Options())
    (run,) = analysis.runs
    assert (run.name, run.tasks, run.rollouts, run.denominator.graded) == ("board", 3, 6, 5)
    assert run.metrics["score_zero_fill"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert run.statuses == {"verifier_error": 1, "ok": 5}
    assert not [item for item in analysis.health if item["check"] == "summary_files"]


def test_attempts_within_a_file_are_told_by_the_name_of_the_trial(tmp_path: Path) -> None:
    trials = [made.trial("brew-tea", True, name=f"{one}-of-2") for one in (2, 1)]
    made.write_results(tmp_path / "a_results.json", trials)
    made.write_results(tmp_path / "b_results.json", trials)
    assert [row["_ng_rollout_index"] for row in rows_at(tmp_path)] == [1, 0, 3, 2]


def test_the_word_for_the_end_of_a_trial_stays_with_it_also_where_it_passed(tmp_path: Path) -> None:
    made.write_results(tmp_path / "a_results.json", [made.trial("brew-tea", True, mode="agent_timeout")])
    (row,) = rows_at(tmp_path)
    assert row["verifier"]["failure_mode"] == "agent_timeout"
    (run,) = api.analyze(tmp_path).runs
    assert run.statuses == {"ok": 1}, "the word is told once, by the source, and a pass is no cut rollout"


@pytest.mark.parametrize(
    ("mode", "status"),
    [
        ("agent_timeout", "timed_out"),
        ("context_length_exceeded", "truncated"),
        ("fatal_llm_parse_error", "malformed"),
        ("agent_installation_failed", "infrastructure"),
        ("test_timeout", "verifier_error"),
        ("unset", None),
        ("unknown", None),
    ],
)
def test_a_failure_mode_is_a_status(tmp_path: Path, mode: str, status: str | None) -> None:
    made.write_results(tmp_path / "results.json", [made.trial("brew-tea", False, mode=mode)])
    (row,) = rows_at(tmp_path)
    assert row["_translated"].get("status") == status
    assert row["_translated"]["reason"] == mode


def test_a_killed_run_is_read_from_its_trials(tmp_path: Path) -> None:
    (tmp_path / "run_metadata.json").write_text(json.dumps({"task_ids": list(made.TASKS), "n_attempts": 1}))
    for task in made.TASKS[:2]:
        place = tmp_path / task / f"{task}.1-of-1.run"
        (place / "panes").mkdir(parents=True)
        (place / "results.json").write_text(json.dumps(made.trial(task, True)))
        (place / "panes" / "post-agent.txt").write_text("$ done")
    rows = rows_at(tmp_path)
    assert [row["task_id"] for row in rows] == ["brew-tea", "sort-letters"]
    assert rows[0]["verifier"]["agent_screen"] == "$ done"
    (run,) = api.analyze_runs(api.read(tmp_path), Options()).runs
    assert (run.denominator.graded, run.denominator.expected) == (2, 3)


def test_no_transcript_is_kept_and_none_is_missed(tmp_path: Path) -> None:
    trials = [made.trial(task, task == "brew-tea") | {"parser_results": None} for task in made.TASKS]
    made.write_results(tmp_path / "results.json", trials)
    analysis = api.analyze_runs(api.read(tmp_path), Options())
    assert not [finding for finding in analysis.findings if finding.detector == "P02"]
    assert "response" not in rows_at(tmp_path)[0]
