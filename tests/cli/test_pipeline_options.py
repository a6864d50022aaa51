"""What a pipeline asks of the command line: a gate, a form, the summary of a step."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import message, response, row, write


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Of 20 tasks all pass, then 16."""
    folder = tmp_path_factory.mktemp("pair")
    base = write(folder / "base.jsonl", [row(task, attempt) for task in range(20) for attempt in range(2)])
    other = response(message("Let me see."))
    rows = [row(task, attempt, float(task < 16), response=other) for task in range(20) for attempt in range(2)]
    return base, write(folder / "candidate.jsonl", rows)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--fail-on", "real-regression"), 1),
        (("--max-drop", "19"), 1),
        (("--max-drop", "20"), 0),
        (("--max-drop", "19", "--confidence", "0.9"), 0),
        (("--confidence", "0.9"), 1),
        (("--max-drop", "19", "--fail-on", "real-regression"), 0),
        (("--fail-on", "regression", "--confidence", "0.9"), 2),
        (("--max-drop", "-1"), 2),
        (("--confidence", "1"), 2),
    ],
)
def test_the_gate_gives_the_exit_code(options: tuple[str, ...], code: int, pair: tuple[Path, Path]) -> None:
    done = blade("compare", *pair, *options, "--format", "json")
    assert done.returncode == code, done.stderr
    if code < 2:
        assert json.loads(done.stdout).get("gate", {"crossed": False})["crossed"] is (code == 1)
        assert ("The gate is" in done.stderr) is bool(options)


def test_quiet_keeps_the_exit_code_and_says_nothing_of_the_gate(pair: tuple[Path, Path]) -> None:
    done = blade("compare", *pair, "--max-drop", "1", "--quiet")
    assert (done.returncode, done.stderr) == (1, "")


def test_a_quiet_analysis_writes_its_files_and_prints_nothing(pair: tuple[Path, Path], tmp_path: Path) -> None:
    done = blade("analyze", *pair, "-o", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out" / "report.html").exists()


def test_a_gate_is_crossed_whether_somebody_reads_on_or_not(pair: tuple[Path, Path]) -> None:
    command = [sys.executable, "-m", "blade", "compare", *map(str, pair), "--max-drop", "1", "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 1
    assert said.startswith("The gate is crossed: ")
    assert "Traceback" not in said


def test_the_form_for_github_goes_to_the_summary_of_the_step(
    pair: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert blade("compare", *pair, "--format", "csv").returncode == 0
    assert not summary.exists()
    done = blade("compare", *pair, "--format", "github")
    assert summary.read_text(encoding="utf-8") == done.stdout
    blade("compare", *pair, "--format", "github")
    assert summary.read_text(encoding="utf-8") == 2 * done.stdout
    other = tmp_path / "other.md"
    blade("compare", *pair, "--format", "json", "--step-summary", other)
    assert other.read_text(encoding="utf-8") == done.stdout
    done = blade("compare", *pair, "--format", "json", "--step-summary", tmp_path / "none" / "summary.md")
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_analyze_writes_the_forms_beside_the_report(pair: tuple[Path, Path], tmp_path: Path) -> None:
    forms = [word for form in ("github", "csv", "junit") for word in ("--format", form)]
    out = tmp_path / "out"
    assert blade("analyze", *pair, "-o", out, *forms, "--step-summary", tmp_path / "summary.md").returncode == 0
    comment = (out / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### BLADE report: base, candidate\n")
    assert "candidate" in comment.split("\n", 1)[1]
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == comment
    assert (out / "tasks.csv").read_text(encoding="utf-8").startswith("task,run,attempts,expected,passes,")
    assert '<testsuite name="candidate" tests="20" failures="4"' in (out / "junit.xml").read_text(encoding="utf-8")
