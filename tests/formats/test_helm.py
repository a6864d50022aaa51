"""HELM run folders: what is easily read wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from tests.formats.samples import helm as made

from blade import api
from blade.engine.discover import discover
from blade.options import Options


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))


def rows_at(path: Path) -> list[dict[str, Any]]:
    plan = discover([path])[0]
    assert plan.translated is not None
    return [orjson.loads(line) for line in plan.translated.path.read_bytes().splitlines()]


def test_the_run_is_the_test_split_without_perturbations_and_the_rest_stands_beside_it(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    plans = discover([f"a={place}"])
    assert [(plan.name, plan.translated.rows) for plan in plans if plan.translated] == [
        ("a", 6), ("a@valid", 2), ("a@test,typos", 1),
    ]  # fmt: skip


def test_a_perturbed_instance_is_the_same_task_in_another_run(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    changes = api.analyze_runs(api.read(f"a={place}"), Options()).changes
    assert {change.candidate: change.common_tasks for change in changes} == {"a@valid": 0, "a@test,typos": 1}


def test_a_letter_that_fills_a_limit_of_one_token_is_not_cut_off(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    assert api.analyze_runs(api.read(place), Options()).runs[0].statuses == {"ok": 6}


def test_the_expected_answer_is_the_letter_of_the_right_reference(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    first = rows_at(place)[0]
    assert first["verifier"]["expected_answer"] == "A"
    assert first["verifier"]["scores"] == {"exact_match": 1.0, "quasi_exact_match": 1.0}
    assert first["metadata"] == {"split": "test"}


def test_a_request_that_failed_is_no_zero(tmp_path: Path) -> None:
    broken = made.state("i1", 0, right=False)
    broken["result"] = {"success": False, "error": "503: the server is busy", "completions": []}
    states = [broken, made.state("i2", 0, right=True)]
    made.write_run(tmp_path, states, [made.entry("i1", 0, right=False), made.entry("i2", 0, right=True)])
    first, _ = rows_at(tmp_path)
    assert first["reward"] is None
    assert first["_translated"]["status"] == "infrastructure"
    assert first["_translated"]["reason"] == "503: the server is busy"


def test_requests_of_single_references_are_one_attempt(tmp_path: Path) -> None:
    states = [
        made.state("i1", 0, right=True) | {"reference_index": index, "request_mode": "original"} for index in (0, 1)
    ]
    made.write_run(tmp_path, states, [made.entry("i1", 0, right=True)])
    (row,) = rows_at(tmp_path)
    assert row["response"]["output"][0]["content"] == "original, sage: -0.5\noriginal, thyme: -0.5"


def test_compressed_files_are_read(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    for name in ("scenario_state.json", "per_instance_stats.json"):
        content = (place / name).read_bytes()
        (place / name).unlink()
        (place / f"{name}.zst").write_bytes(zstandard.ZstdCompressor().compress(content))
    assert len(rows_at(place)) == 6


def test_a_statement_of_another_score_is_said(tmp_path: Path) -> None:
    (place,) = made.write(tmp_path)
    text = (place / "stats.json").read_text().replace("0.5", "0.75")
    (place / "stats.json").write_text(text)
    health = api.analyze_runs(api.read(f"a={place}"), Options()).health
    statements = [item["statement"] for item in health if item["check"] == "summary_files"]
    assert "The files of a state a score of 75.0%; the rows give 50.0%." in statements
