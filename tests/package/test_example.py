"""The example package in the repository is what its commands make, byte for byte, and it passes them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "front_desk"
LARGEST = 3_000_000


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build", ROOT / "examples" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_build_ends_well_and_gives_what_is_committed(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands of a build include calibrate, validate and ready: each must exit with 0."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1924992000")
    failed = builder.build(tmp_path / "made")
    assert failed == []
    told = capsys.readouterr().out
    assert "Summary: 33/33 checks passed\n" in told
    assert "7 of 7 points are met: BLADE-ready\n" in told
    assert "42 of 42 inside their bands, 0 n/a\n" in told
    made, kept = bytes_of(tmp_path / "made"), bytes_of(EXAMPLE)
    differing = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    assert differing == [], "run `make gold`, read what changed, and commit it"


def test_the_example_is_complete_small_and_of_no_machine() -> None:
    kept = bytes_of(EXAMPLE)
    reports = "golden_reports/model_a_"
    assert set(kept) >= {
        "skill/SKILL.md",
        "rollouts/model_a_rollouts.jsonl",
        "rollouts/model_b_rollouts.jsonl",
        f"{reports}golden_report.md",
        f"{reports}golden_report_metrics.json",
        f"{reports}anchor_facts.json",
        f"{reports}shallow.md",
        f"{reports}review.json",
        "calibration/calibration_summary.json",
    }
    assert sum(map(len, kept.values())) < LARGEST
    for name, content in kept.items():
        for place in (b"/tmp/", b"/home/", b"/root/", str(ROOT).encode()):
            assert place not in content, name


def test_calibration_of_the_example_meets_its_targets() -> None:
    told = json.loads((EXAMPLE / "calibration" / "calibration_summary.json").read_text())
    assert told["passed"] is True
    assert told["fact_base"] == "runs"
    assert {name: one["score"] for name, one in told["attacks"].items() if one["inside"] is not True} == {}


def test_facts_name_the_files_of_the_package_from_its_own_folder() -> None:
    facts = json.loads((EXAMPLE / "golden_reports" / "model_a_anchor_facts.json").read_text())["anchor_facts"]
    files = [cite["file"] for fact in facts for cite in fact["citations"] or () if cite.get("file")]
    assert len(files) > 8
    assert all((EXAMPLE / file).is_file() for file in files)
