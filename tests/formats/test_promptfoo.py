"""promptfoo: columns as runs, tests matched by their variables, errors, assertions as checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.formats.samples.promptfoo import document, result, write
from tests.formats.translated_rows import translated_rows

from blade import api
from blade.engine.discover import discover
from blade.model import Status
from blade.options import Options


def keep(path: Path, *results: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(document(list(results), [])))
    return path


def test_tests_of_one_file_are_matched_between_its_columns(tmp_path: Path) -> None:
    both = write(tmp_path)[0]
    (change,) = api.analyze(both, options=Options(cache=False)).changes
    assert (change.common_tasks, change.delta_common) == (2, 0.25)


def test_tests_are_named_by_their_variables_and_not_by_their_place(tmp_path: Path) -> None:
    first = keep(tmp_path / "a.json", result(0, 0, 1.0), result(1, 0, 1.0))
    moved = keep(tmp_path / "b.json", result(0, 0, 1.0) | {"testIdx": 5}, result(1, 0, 1.0) | {"testIdx": 0})
    made = translated_rows(first, moved)
    assert [row["task_id"] for row in made["a"]] == [row["task_id"] for row in made["b"]][::-1]
    assert made["a"][0]["task_id"].startswith("switch ")


def test_equal_tests_in_a_column_are_repeats(tmp_path: Path) -> None:
    path = keep(tmp_path / "a.json", result(0, 0, 1.0), result(0, 0, 0.0) | {"testIdx": 7})
    rows = translated_rows(path)["a"]
    assert [(row["_ng_rollout_index"], row["reward"]) for row in rows] == [(0, 1.0), (1, 0.0)]
    assert len({row["task_id"] for row in rows}) == 1


def test_an_error_is_not_graded_though_the_file_writes_zero(tmp_path: Path) -> None:
    failed = result(0, 0, 0.0, failureReason=2, gradingResult=None, error="ENOENT: no such file", response=None)
    (row,) = translated_rows(keep(tmp_path / "a.json", failed))["a"]
    assert (row["reward"], row["_translated"]["status"]) == (None, Status.INFRASTRUCTURE)
    assert row["_translated"]["reason"] == "ENOENT: no such file"


def test_assertions_are_checks_with_their_reasons(tmp_path: Path) -> None:
    row = translated_rows(*write(tmp_path))["both@Small"][1]
    assert [(check["name"], check["passed"]) for check in row["verifier"]["checks"]] == [
        ("equals: on", False),
        ("brief", True),
    ]
    assert row["verifier"]["expected_answer"] == "on"
    assert (row["reward"], row["passed"]) == (0.5, False)


def test_the_stated_score_of_a_column_is_its_mean(tmp_path: Path) -> None:
    reported = [plan.translated.reported for plan in discover([write(tmp_path)[0]]) if plan.translated]
    assert reported == [0.75, 1.0]


def test_one_provider_with_two_prompts_is_two_runs(tmp_path: Path) -> None:
    second = result(0, 1, 1.0) | {"provider": {"id": "lab:small", "label": "Small"}}
    path = keep(tmp_path / "a.json", result(0, 0, 1.0), second)
    assert list(translated_rows(path)) == ["a@Small prompt 1", "a@Small prompt 2"]


def test_runs_of_one_provider_in_two_files_keep_apart(tmp_path: Path) -> None:
    results = (result(0, 0, 1.0), result(0, 1, 1.0))
    paths = [keep(tmp_path / folder / "out.json", *results) for folder in ("before", "after")]
    names = [plan.name for plan in discover(paths)]
    assert names == ["before/out@Small", "before/out@Large", "after/out@Small", "after/out@Large"]


def test_an_older_file_without_numbers_is_read(tmp_path: Path) -> None:
    old = result(0, 0, 1.0)
    for key in ("testIdx", "promptIdx", "testCase", "failureReason"):
        del old[key]
    (row,) = translated_rows(keep(tmp_path / "a.json", old | {"provider": "lab:small"}))["a"]
    assert (row["reward"], row["response"]["model"]) == (1.0, "lab:small")


def test_calls_as_output_are_calls(tmp_path: Path) -> None:
    calls = [{"id": "c1", "type": "function", "function": {"name": "switch", "arguments": '{"lamp": 1}'}}]
    (row,) = translated_rows(keep(tmp_path / "a.json", result(0, 0, 1.0, response={"output": calls})))["a"]
    assert row["response"]["output"][0]["name"] == "switch"
