"""`blade score` and `blade calibrate` as people call them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import Done, blade
from tests.judge.made import Package, package

from blade.anchors.anchor import dump


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Package, Path]:
    folder = tmp_path_factory.mktemp("package")
    one = package("field_notes", folder / "runs")
    reports = folder / "golden_reports"
    reports.mkdir()
    (reports / "golden.md").write_text(one.golden, encoding="utf-8")
    (reports / "shallow.md").write_text(one.shallow, encoding="utf-8")
    (reports / "anchors.json").write_bytes(dump(one.anchors))
    return one, reports


def score(reports: Path, report: Path, *more: str | Path) -> Done:
    files = ("--golden", reports / "golden.md", "--anchor-facts", reports / "anchors.json")
    return blade("score", "--report", report, *files, *more)


@pytest.mark.slow
def test_score_prints_upstreams_keys_and_ours(made: tuple[Package, Path], tmp_path: Path) -> None:
    one, reports = made
    done = score(reports, reports / "golden.md", "--runs", *one.paths, "--output-dir", tmp_path)
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert list(told)[:5] == ["final_score", "checklist", "holistic", "anchor_hits", "note"]
    assert {"verdict", "fact_base", "parts", "flags", "vetoes", "failing"} <= set(told)
    assert {"id", "score", "met", "fact"} <= set(told["anchor_hits"][0])
    assert told["final_score"] >= 0.9
    assert told["fact_base"] == "runs"
    assert json.loads((tmp_path / "reward.json").read_text()) == told


@pytest.mark.slow
def test_without_runs_it_says_so(made: tuple[Package, Path]) -> None:
    _, reports = made
    told = json.loads(score(reports, reports / "shallow.md", "--golden-only").stdout)
    assert told["fact_base"] == "golden-only"
    assert told["verdict"] == "reject"


@pytest.mark.slow
def test_calibrate_writes_upstreams_files_and_every_attack(made: tuple[Package, Path], tmp_path: Path) -> None:
    _, reports = made
    words = ("calibrate", "--golden-report", reports / "golden.md", "--anchor-facts", reports / "anchors.json")
    done = blade(*words, "--shallow-report", reports / "shallow.md", "--output-dir", tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "calibration_summary.json").read_text())
    assert {"golden_vs_self", "shallow_vs_golden", "spread", "targets", "attacks"} <= set(summary)
    assert len(summary["attacks"]) > 30
    assert (tmp_path / "golden-vs-self" / "reward.json").exists()
    assert (tmp_path / "shallow-vs-golden" / "reward.json").exists()
    assert "n/a" in done.stdout
    small = tmp_path / "small.md"
    small.write_text("\n".join((reports / "golden.md").read_text(encoding="utf-8").splitlines()[:12]), encoding="utf-8")
    again = blade("calibrate", "--golden-report", small, *words[3:], "--shallow-report", small)
    assert again.returncode == 1
    assert "spread 0.000 is below 0.50" in again.stderr


@pytest.mark.parametrize("content", [None, b"\x00\xff\xfe", b"{}"])
def test_bad_input_ends_in_one_line(made: tuple[Package, Path], tmp_path: Path, content: bytes | None) -> None:
    _, reports = made
    bad = tmp_path / "bad.md"
    if content is not None:
        bad.write_bytes(content)
    done = blade("score", "--report", bad, "--golden", reports / "golden.md", "--anchor-facts", bad)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
