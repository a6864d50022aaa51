"""The example package in the repository is what its commands make, and it passes them.

Texts are the same byte for byte. Numbers are compared as numbers: another processor rounds another last digit.
"""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from blade.simulate import write_run

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "front_desk"
LARGEST = 3_000_000
AGAIN = "run `make gold`, read what changed, and commit it"


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


def contents(name: str, text: bytes) -> Any:
    """The values of a JSON file or of the lines of one; the bytes of any other."""
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text) if name.endswith(".json") else text


def same(built: Any, committed: Any) -> bool:
    if type(built) is not type(committed):
        return False
    if isinstance(built, dict):
        return list(built) == list(committed) and all(same(built[key], committed[key]) for key in built)
    if isinstance(built, list):
        return len(built) == len(committed) and all(map(same, built, committed))
    if isinstance(built, float):
        return math.isclose(built, committed, rel_tol=1e-4, abs_tol=1e-9)
    return bool(built == committed)


def test_the_report_that_is_committed_is_what_an_analysis_writes_today(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole build takes ten times as long; `make test-all` has it."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1924992000")
    monkeypatch.chdir(tmp_path)
    for name, scenario in builder.RUNS.items():
        write_run(scenario, Path("runs") / name)
    for line in builder.commands(builder.NAME)[:3]:
        assert builder._run(line)
        if line.startswith("skill draft"):
            builder.answer(Path(builder.NAME) / "skill" / "SKILL.md")
    name = "golden_reports/model_a_golden_report.md"
    built = (tmp_path / builder.NAME / name).read_text(encoding="utf-8").splitlines()
    committed = (EXAMPLE / name).read_text(encoding="utf-8").splitlines()
    draft = [line for line in built if line.startswith("*Draft, not yet reviewed")]
    assert len(draft) == 1
    place = built.index(draft[0])
    assert built[:place] + built[place + 2 :] == committed, AGAIN


@pytest.mark.slow
def test_a_build_ends_well_and_gives_what_is_committed(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands of a build include calibrate, validate and ready: each must exit with 0."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1924992000")
    failed = builder.build(tmp_path / "made")
    assert failed == []
    output = capsys.readouterr().out
    assert "Summary: 40/40 checks passed\n" in output
    assert "7 of 7 points are met: BLADE-ready\n" in output
    assert "43 of 43 inside their bands, 0 n/a\n" in output
    built, committed = bytes_of(tmp_path / "made"), bytes_of(EXAMPLE)
    assert sorted(built) == sorted(committed), AGAIN
    differing = [
        name for name in sorted(built) if not same(contents(name, built[name]), contents(name, committed[name]))
    ]
    assert differing == [], AGAIN


def test_numbers_are_the_same_to_four_digits_and_all_else_exactly() -> None:
    assert same({"mu": [0.41549838716173515, 3]}, {"mu": [0.41549838717063, 3]})
    assert not same({"mu": [0.4154, 3]}, {"mu": [0.4156, 3]})
    assert not same({"n": 100000}, {"n": 100001})
    assert not same({"n": 1}, {"n": True})
    assert not same({"n": 1.0}, {"m": 1.0})
    assert not same([1.0], [1.0, 2.0])
    assert contents("a.jsonl", b'{"a": 1.5}\n{"a": 2}\n') == [{"a": 1.5}, {"a": 2}]
    assert contents("a.md", b"1.5") == b"1.5"


def test_the_example_is_complete_small_and_of_no_machine() -> None:
    committed = bytes_of(EXAMPLE)
    reports = "golden_reports/model_a_"
    assert set(committed) >= {
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
    assert sum(map(len, committed.values())) < LARGEST
    for name, content in committed.items():
        for place in (b"/tmp/", b"/home/", b"/root/", str(ROOT).encode()):
            assert place not in content, name


def test_calibration_of_the_example_meets_its_targets() -> None:
    calibration = json.loads((EXAMPLE / "calibration" / "calibration_summary.json").read_text())
    assert calibration["passed"] is True
    assert calibration["fact_base"] == "runs"
    assert {
        name: attack["score"] for name, attack in calibration["attacks"].items() if attack["inside"] is not True
    } == {}


def test_facts_name_the_files_of_the_package_from_its_own_folder() -> None:
    facts = json.loads((EXAMPLE / "golden_reports" / "model_a_anchor_facts.json").read_text())["anchor_facts"]
    files = [cite["file"] for fact in facts for cite in fact["citations"] or () if cite.get("file")]
    assert len(files) > 8
    assert all((EXAMPLE / file).is_file() for file in files)
