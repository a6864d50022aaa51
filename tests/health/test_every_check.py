"""Health checks fire on what they are for and stay quiet on a healthy run."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.gym_rows import analysed, given, message, response, row, write

import blade
from blade.registry import plugins, summary

CHECKS = plugins("health")


def found(tmp_path: Path, *runs: list[Any]) -> set[str]:
    paths = [write(tmp_path / f"run{number}.jsonl", rows) for number, rows in enumerate(runs)]
    analysis = blade.analyze(*paths, options=blade.Options(cache=False))
    for item in analysis.health:
        assert item["severity"] in {"high", "medium", "low"}
        assert item["statement"].endswith(".") or "(" in item["statement"]
    return {item["check"] for item in analysis.health}


def healthy(tasks: int = 20, seed: int = 0) -> list[Any]:
    dice = Random(seed)
    made = []
    for task in range(tasks):
        for attempt in range(4):
            reward = float(dice.random() < (0.2, 0.5, 0.8)[task % 3])
            said = response(message(f"{task} {attempt} {seed}"), created_at=1000.0 + 60 * attempt + task)
            made.append(row(task, attempt, reward, response=said))
    return made


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_says_in_one_line_what_it_is(name: str) -> None:
    assert summary(CHECKS[name]).lower().startswith(name.replace("_", " "))


def test_healthy_runs_give_nothing(tmp_path: Path, front_desk: Path, uncached: blade.Options) -> None:
    assert not found(tmp_path, healthy(), healthy(seed=1))
    assert not [item for item in blade.analyze(front_desk, options=uncached).health if item["severity"] == "high"]


def test_one_output_scored_in_two_ways(tmp_path: Path) -> None:
    rows = healthy()
    same = response(message("the very same words"))
    rows[0] |= {"response": same, "reward": 1.0}
    rows[1] |= {"response": same, "reward": 0.0}
    assert "flaky_verifier" in found(tmp_path, rows)


def test_a_verdict_field_that_contradicts_the_reward(tmp_path: Path) -> None:
    rows = [one | {"resolved": one["reward"] == 1.0} for one in healthy()]
    assert not found(tmp_path, rows)
    passing = next(one for one in rows if one["reward"] == 1.0)
    passing["resolved"] = False
    assert "contradictory_fields" in found(tmp_path, rows)


def test_a_check_that_could_not_look_says_why(tmp_path: Path) -> None:
    bare = [{"_ng_task_index": task, "_ng_rollout_index": 0, "reward": float(task % 2)} for task in range(4)]
    paths = [write(tmp_path / f"{name}.jsonl", bare) for name in ("one", "two")]
    ended = {item["check"]: item for item in analysed(*paths).health_checks}
    assert ended.keys() == CHECKS.keys()
    assert {name: item["why"] for name, item in ended.items() if item["state"] == "not_checked"} == {
        "check_never_passes": "no row names the checks behind its verdict",
        "contradictory_fields": "no field of the rows states a verdict beside the reward",
        "flaky_verifier": "no output stands twice under one task",
        "negative_discrimination": "the runs share no task",
        "order_leak": "fewer than 40 rows say something about the model",
        "repeated_tasks": "the rows hold no prompt",
        "saturation": "fewer than 10 tasks",
        "summary_files": "no summary file stands beside the rows",
        "suspect_gold": "no row holds both an answer and the key",
    }
    alone = {item["check"]: item for item in analysed(paths[0]).health_checks}
    assert alone["suspect_gold"]["why"] == "two runs are needed"


def test_a_check_that_could_look_at_one_run_only_says_at_which_it_could_not(tmp_path: Path) -> None:
    paths = write(tmp_path / "long.jsonl", healthy()), write(tmp_path / "short.jsonl", healthy(5, seed=1))
    ended = {item["check"]: item for item in analysed(*paths).health_checks}
    why = "not in short: fewer than 40 rows say something about the model"
    assert ended["order_leak"] == {"check": "order_leak", "state": "clean", "why": why}


def test_runs_that_agree_against_the_key(tmp_path: Path) -> None:
    def run(salt: int) -> list[Any]:
        made = []
        for task in range(30):
            for attempt in range(4):
                right = task != 7 and (task + attempt + salt) % 6 != 0
                answer = str(2 * task) if right else ("99" if task == 7 else f"w{attempt}{task}")
                made.append(row(task, attempt, float(right), extracted_answer=answer))
        return made

    assert "suspect_gold" in found(tmp_path, run(0), run(1), run(2))


def test_an_outage_in_a_stretch_of_time(tmp_path: Path) -> None:
    rows = healthy()
    rows.sort(key=lambda one: one["response"]["created_at"])
    for one in rows[30:45]:
        one["reward"] = 0.0
        one["response"]["error"] = {"code": "x", "message": "503 Service Unavailable"}
    assert "outage_window" in found(tmp_path, rows)


def test_a_task_that_stands_twice(tmp_path: Path) -> None:
    rows = healthy()
    twin = [one | {"_ng_task_index": 99} for one in rows if one["_ng_task_index"] == 3]
    assert "repeated_tasks" in found(tmp_path, rows + twin)


def test_scores_that_sink_with_time(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            attempt,
            float(attempt < 2),
            response=response(message(f"{task} {attempt}"), created_at=1000.0 + 500 * attempt + task),
        )
        for task in range(30)
        for attempt in range(4)
    ]
    assert "order_leak" in found(tmp_path, rows)


def test_a_benchmark_at_its_ceiling(tmp_path: Path) -> None:
    rows = [
        row(task, attempt, 1.0, response=response(message(f"{task} {attempt}")))
        for task in range(12)
        for attempt in range(30)
    ]
    assert "saturation" in found(tmp_path, rows)


def test_a_summary_file_that_says_something_else(tmp_path: Path) -> None:
    rows = healthy()
    path = write(tmp_path / "x.jsonl", rows)
    (tmp_path / "x_aggregate_metrics.json").write_text(
        '[{"agent_ref": {"name": "an_agent"}, "agent_metrics": {"mean/reward": 0.123}, "key_metrics": {}}]',
        encoding="utf-8",
    )
    write(
        tmp_path / "x_materialized_inputs.jsonl", [given(task, attempt) for task in range(20) for attempt in range(4)]
    )
    analysis = blade.analyze(path, options=blade.Options(cache=False))
    assert "summary_files" in {item["check"] for item in analysis.health}


def test_tasks_that_the_better_attempts_fail(tmp_path: Path) -> None:
    runs = []
    for strength in range(3):
        rows = []
        for task in range(30):
            for attempt in range(4):
                level = 10 * strength + attempt * 3
                reward = float(level < 12) if task == 0 else float((task * 13) % 30 < level)
                rows.append(row(task, attempt, reward, response=response(message(f"{strength} {task} {attempt}"))))
        runs.append(rows)
    assert "negative_discrimination" in found(tmp_path, *runs)
