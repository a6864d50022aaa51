"""Two groups against each other: the counts in both, what separates them, and what is not tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_line import blade
from tests.gym_rows import ABSENT, message, response, row, write
from tests.made_demo import Demo
from tests.queries.conftest import Asker

from blade.index.build_index import build
from blade.queries.contrast import ONE_SIDED, RESTATES, SETTINGS, GroupContrast, contrast, separating_words


def contrasted(demo: Demo, first: str, second: str, **more: Any) -> GroupContrast:
    return contrast(build(demo.runs, demo.analysis), {"first": first, "second": second, **more})


def test_what_failures_do_and_passes_do_not_is_found_within_tasks(demo: Demo) -> None:
    found = contrasted(demo, "failed and not void", "passed")
    assert (found.first.height, found.second.height, found.overlap) == (121, 176, 0)
    assert found.within_tasks == 21
    told = {one.name: (one.first, one.of_first, one.second, one.of_second) for one in found.features}
    assert "rule missing_action" in found.left_out[RESTATES]
    assert not [name for name in told if name.startswith(("rule missing_action", "shape", "label", "mode"))]
    assert not [name for name in ("passed", "failed", "score", "bucket = never") if name in told]
    assert all(one.q <= 0.05 for one in found.features)
    everything = contrasted(demo, "failed and not void", "passed", all=True)
    told = {one.name: (one.first, one.of_first, one.second, one.of_second) for one in everything.features}
    assert told.get("rule missing_action") == (83, 121, 0, 176)
    words = separating_words(demo.runs, found, 3)
    assert ("model", True, 0) in [(one.actor, one.first > 0, one.second) for one in words]
    assert {one.actor for one in words} == {"call", "model", "thought"}


def test_columns_that_a_condition_names_are_not_tried(demo: Demo) -> None:
    found = contrasted(demo, "calls_failed > 0", "calls_failed = 0 and model is not null")
    assert not [one.name for one in found.features if one.name.startswith(("calls_failed", "model"))]


def test_the_command_prints_counts_and_says_how_it_compared(ask: Asker) -> None:
    told = ask("contrast", "run = 'early'", "true").stdout
    assert "8 rollouts meet both conditions: left out" not in told
    done = ask("contrast", "run = 'early'", "run = 'late' or task = 'desk-0'").stdout
    assert "2 rollouts meet both conditions: left out" in done
    assert "too few tasks have rollouts of both groups" in done


def test_an_empty_group_is_said(ask: Asker) -> None:
    done = ask("contrast", "run = 'early'", "true")
    assert (done.returncode, "No rollout is in group A alone." in done.stderr) == (2, True)


def test_json_holds_the_features_and_the_counts(ask: Asker) -> None:
    told = json.loads(ask("contrast", "failed", "passed", "--all", "--json").stdout)
    assert (told["counts"]["A: rollouts"], told["counts"]["B: rollouts"]) == (8, 8)
    names = {one["name"]: (one["first"], one["second"]) for one in told["features"]}
    assert names["row_verifier_note = all checks hold"] == (0, 8)


def test_what_restates_the_verdict_is_named_and_not_tried(ask: Asker) -> None:
    told = ask("contrast", "failed", "passed").stdout
    assert "row_verifier_note =" not in told
    assert f"not tried, for they {RESTATES}: " in told
    assert "row_verifier_note = all checks hold" in ask("contrast", "failed", "passed", "--all").stdout


def test_what_one_run_cannot_record_and_what_names_it_again_is_not_tried(tmp_path: Path) -> None:
    def rows(agent: str, *, silent: bool) -> list[dict[str, Any]]:
        output = [] if silent else [message("I have booked it.")]
        return [
            row(
                task,
                0,
                float(task % 2),
                response=response(*output),
                metadata={"agent": agent, "file": f"{agent}/part_{task % 3}.txt"},
                extracted_answer=ABSENT,
            )
            for task in range(8)
        ]

    paths = [write(tmp_path / f"{name}.jsonl", rows(name, silent=name == "quiet")) for name in ("quiet", "talking")]
    told = json.loads(
        blade("contrast", "run = 'quiet'", "run = 'talking'", *paths, "--no-cache", "--json", folder=tmp_path).stdout
    )
    assert not [one["name"] for one in told["features"] if one["name"].startswith(("ends_on", "row_metadata"))]
    assert "ends_on" in told["left_out"][ONE_SIDED]
    assert {"row_metadata_agent", "row_metadata_file"} <= set(told["left_out"][SETTINGS])


def test_the_direction_is_that_within_tasks(tmp_path: Path) -> None:
    """Within each task failures look more often; over all rollouts passes do, for the easy tasks need looking at."""

    def attempt(task: int, number: int) -> dict[str, Any]:
        is_easy = task < 8
        good = number < (8 if is_easy else 2)
        looks = (number < 4 or not good) if is_easy else number == 9
        step = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"}
        answer = {"type": "function_call_output", "call_id": "c", "output": "ok"}
        return row(task, number, float(good), response=response(*([step, answer] if looks else []), message("Done.")))

    path = write(tmp_path / "one.jsonl", [attempt(task, number) for task in range(16) for number in range(10)])
    told = blade("contrast", "failed", "passed", path, "--all", "--json", "--no-cache", folder=tmp_path).stdout
    look = next((one for one in json.loads(told)["features"] if one["name"] == "calls look"), None)
    assert look is not None
    assert look["first"] / look["of_first"] < look["second"] / look["of_second"]
    assert look["within"] > 0


def test_how_runs_end_is_told_once_and_does_not_lead_the_features(tmp_path: Path) -> None:
    def rows(passes: int, word: str) -> list[dict[str, Any]]:
        return [
            row(
                task,
                0,
                float(task < passes),
                response=response(message(word)),
                verifier={"is_solved": "yes" if task < passes else "no", "note": word},
            )
            for task in range(20)
        ]

    paths = [write(tmp_path / "high.jsonl", rows(16, "booked")), write(tmp_path / "low.jsonl", rows(4, "refused"))]
    asked: tuple[str | Path, ...] = ("contrast", "run = 'high'", "run = 'low'", *paths)
    told = blade(*asked, folder=tmp_path).stdout
    line = next(line for line in told.splitlines() if line.startswith("A passes"))
    assert line.startswith(
        "A passes 80.0% (16 of 20 judged), B 20.0% (4 of 20 judged); within tasks more in A, +60.0 pp"
    )
    features = [line.split()[0] for line in told.splitlines() if line.split()[-1:] != ["p"] and " of 20 " in line]
    assert not {"passed", "failed", "score", "bucket", "row_verifier_is_solved"} & set(features)
    left_out = next(line for line in told.splitlines() if line.startswith(f"not tried, for they {RESTATES}: "))
    assert "row_verifier_is_solved" in left_out
    everything = blade(*asked, "--all", folder=tmp_path).stdout
    assert "bucket = always" in everything


def test_groups_by_outcome_get_no_line_on_how_they_end(ask: Asker) -> None:
    assert "A passes" not in ask("contrast", "failed", "passed").stdout
