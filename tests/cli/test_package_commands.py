"""The package commands as a user types them, by `blade` and by the helper script of the skill."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.package.made_package import DATE, NAMES, SKILL, anchor_facts, make_package

from blade.simulate import write_run

ROOT = Path(__file__).parents[2]
TOOLS = [
    ROOT / folder / "skills" / "nemo-gym-blade-analysis" / "scripts" / "blade_toolkit.py"
    for folder in (".agents", ".claude", ".codex")
]


def script(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `runs/model_a` and `runs/model_b`, in which the commands of this module work one after another."""
    folder = tmp_path_factory.mktemp("place")
    for name, scenario in NAMES.items():
        write_run(scenario, folder / "runs" / name)
    return folder


@pytest.mark.slow
def test_the_whole_way_from_runs_to_a_package(place: Path) -> None:
    done = blade("init", "front_desk", "--runs", "runs/model_a", "runs/model_b", folder=place)
    assert done.returncode == 0, done.stderr
    assert "benchmarks/front_desk/rollouts/model_a_rollouts.jsonl" in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1] == "benchmarks/front_desk/skill/SKILL.md"
    assert "skill draft" not in done.stderr
    bench = place / "benchmarks" / "front_desk"
    skill = bench / "skill" / "SKILL.md"
    assert "# front_desk: how to analyse its rollouts" in skill.read_text(encoding="utf-8")
    done = blade("validate", "--benchmark-dir", "benchmarks/front_desk", "--phase", "skill", folder=place)
    assert done.returncode == 0, done.stdout

    skill.unlink()
    done = blade("validate", "--benchmark-dir", "benchmarks/front_desk", "--phase", "all", folder=place)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("[FAIL] D1 skill missing")
    assert done.stdout.splitlines()[-1].startswith("Summary: ")

    done = blade("analyze", "benchmarks/front_desk", "--golden", "model_a", folder=place)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "benchmarks/front_desk/golden_reports/model_a_golden_report.md",
        "benchmarks/front_desk/golden_reports/model_a_golden_report_metrics.json",
    ]
    assert "blade review benchmarks/front_desk model_a" in done.stderr
    assert not (place / "blade-report").exists()

    (bench / "skill" / "SKILL.md").write_text(SKILL, encoding="utf-8")
    anchors = bench / "golden_reports" / "model_a_anchor_facts.json"
    anchors.write_text(json.dumps(anchor_facts(bench)), encoding="utf-8")
    golden = "benchmarks/front_desk/golden_reports/model_a_golden_report.md"
    shallow = "benchmarks/front_desk/golden_reports/model_a_shallow.md"
    done = blade("make-shallow", "--input", golden, "--output", shallow, folder=place)
    assert (done.returncode, done.stdout) == (0, f"{shallow}\n")

    done = blade("ready", "benchmarks/front_desk", folder=place)
    assert done.returncode == 1
    assert "    -> `blade review benchmarks/front_desk model_a --accept all`, once they are read" in done.stdout

    review = ("review", "benchmarks/front_desk", "model_a")
    done = blade(*review, folder=place)
    assert done.returncode == 0
    assert "section: Executive Summary [open]" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("accepted, draft")
    done = blade(*review, "--accept", "all", "--accept-fact", "all", "--by", "me", "--date", DATE, folder=place)
    assert done.returncode == 0, done.stderr
    assert f"section: Executive Summary [accepted {DATE} by me]" in done.stdout
    assert not done.stdout.splitlines()[-1].endswith("draft")

    done = blade("validate", "--benchmark-dir", "benchmarks/front_desk", folder=place)
    assert done.returncode == 0, done.stdout
    assert "[FAIL]" not in done.stdout


@pytest.mark.slow
def test_validate_and_ready_speak_json(tmp_path: Path) -> None:
    package = make_package(tmp_path)
    done = blade("validate", "--benchmark-dir", package, "--json", folder=tmp_path)
    told = json.loads(done.stdout)
    assert told["passed"] is True
    assert told["summary"].startswith("Summary: ")
    assert {check["item"] for check in told["checks"]} >= {"skill", "rollouts", "evidence", "sidecars", "anchors"}
    (package / "skill" / "SKILL.md").unlink()
    done = blade("ready", package, "--json", folder=tmp_path)
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["ready"] is False
    assert told["points"][0]["open"][0]["what"].startswith("D1 skill missing")


@pytest.mark.parametrize(
    "tool",
    [TOOLS[0], *(pytest.param(tool, marks=pytest.mark.slow) for tool in TOOLS[1:])],
    ids=lambda path: path.relative_to(ROOT).parts[0],
)
def test_the_helper_script_takes_the_same_commands(tool: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("# T\n\nProse.\n\n## Metrics\n\n| a |\n|---|\n| 1 |\n", encoding="utf-8")
    done = script(tool, "make-shallow", "--input", report, "--output", tmp_path / "out.md", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.md").read_text(encoding="utf-8") == "# T\n\n## Metrics\n\n| a |\n|---|\n| 1 |\n"
    done = script(tool, "validate", "--benchmark-dir", tmp_path, "--phase", "skill", folder=tmp_path)
    assert done.returncode == 1
    assert "D1 skill missing" in done.stdout


def test_the_helper_script_says_how_to_install_what_it_lacks(tmp_path: Path) -> None:
    """A Python without site packages has no click: two words on that, and no traceback."""
    done = script("-S", "-I", TOOLS[0], "validate", "--help", folder=tmp_path)
    assert done.returncode == 2
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_helper_script_is_a_few_lines() -> None:
    assert len(TOOLS[0].read_text(encoding="utf-8").splitlines()) < 30
    assert {tool.resolve() for tool in TOOLS} == {TOOLS[0]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["init", "a/b", "--runs", "x"], "cannot be the name"),
        (["init", "x", "--runs", "nowhere"], "there is nothing at this path"),
        (["init", "x"], "--runs"),
        (["validate", "--benchmark-dir", "nowhere"], "there is no folder at this path"),
        (["validate"], "--benchmark-dir"),
        (["ready", "nowhere"], "there is no folder at this path"),
        (["review", ".", "nobody"], "no golden report of 'nobody'"),
        (["make-shallow", "--input", "nowhere.md", "--output", "x.md"], "nowhere.md: the report cannot be read"),
        (["analyze", ".", "--golden", "x"], "--benchmark-dir"),
        (["analyze", "nowhere", "--golden", "x", "--benchmark-dir", "."], "there is nothing at this path"),
    ],
)
def test_mistakes_are_told_without_a_traceback(words: list[str], said: str, tmp_path: Path) -> None:
    done = blade(*words, folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_report_is_not_overwritten_by_its_shallow_baseline(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("# T\n", encoding="utf-8")
    done = blade("make-shallow", "--input", report, "--output", report, folder=tmp_path)
    assert done.returncode == 2
    assert "this is the report itself" in done.stderr
