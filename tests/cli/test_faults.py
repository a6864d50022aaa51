"""What a fault leaves behind: a signal, a disk that is full, an output that cannot be written, odd places of output."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EROFS
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import row, write

ROWS = [row(task, attempt, float((task + attempt) % 2)) for task in range(4) for attempt in range(2)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("runs") / "run.jsonl", ROWS)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def earlier_report(folder: Path) -> Path:
    write(folder / "out" / "report.md", [])
    (folder / "out" / "report.md").write_text("the good one")
    return folder / "out"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond a size: to a process, that is a disk that becomes full while it writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # Python would keep half of a compiled module
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        sys.dont_write_bytecode = compiles
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [100, 60_000])
def test_a_disk_that_becomes_full_leaves_the_earlier_report_as_it_was(run: Path, tmp_path: Path, size: int) -> None:
    """The tables fail first, or the page, when the tables, the data and the Markdown are written."""
    out = earlier_report(tmp_path)
    with largest_file(size):
        done = blade("analyze", run, "-o", out, "--no-cache", "--quiet")
    assert done.returncode == 2
    assert done.stderr.startswith(f"blade: {out}: cannot be written (")
    assert contents(out) == {"report.md": b"the good one"}


@pytest.mark.parametrize("place", ["a file", "below a file", "a folder in the place of the report"])
def test_an_output_that_cannot_be_written_is_two_lines(run: Path, tmp_path: Path, place: str) -> None:
    out = tmp_path / "taken"
    if place == "a folder in the place of the report":
        (out / "report.md").mkdir(parents=True)
    else:
        out.write_text("mine")
    target = out / "below" if place == "below a file" else out
    done = blade("analyze", run, "-o", target, "--no-cache")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith(f"blade: {target}: cannot be written (")
    assert "-o" in done.stderr.splitlines()[1]
    assert out.is_dir() or out.read_text() == "mine"


def test_a_read_only_folder_is_two_lines(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(EROFS, "Read-only file system")

    monkeypatch.setattr("blade.output.tempfile.TemporaryDirectory", refuse)
    done = blade("analyze", run, "-o", tmp_path / "out", "--no-cache")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].endswith("cannot be written (Read-only file system).")


def test_a_cache_on_a_full_disk_is_only_slower(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "cache"))
    with largest_file(10):
        done = blade("compare", run, f"again={run}", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["delta"] == 0


def test_a_run_that_is_given_twice_is_said_to_be_one(run: Path, tmp_path: Path) -> None:
    done = blade("analyze", run, run, "-o", tmp_path / "out", "--no-cache")
    assert done.returncode == 0
    report = (tmp_path / "out" / "report.md").read_text()
    assert "both runs have the same outputs with the same scores: nothing changed" in report


def test_an_output_inside_the_input_changes_nothing_when_it_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "run.jsonl", ROWS)
    (tmp_path / "out" / ".unfinished-of-a-killed-process" / "metrics").mkdir(parents=True)
    write(tmp_path / "out" / ".unfinished-of-a-killed-process" / "metrics" / "run.json", [{"score": 7}])
    for out in (tmp_path / "out", tmp_path, tmp_path):
        done = blade("analyze", tmp_path, "-o", out, "--no-cache", "--quiet")
        assert (done.returncode, done.stderr) == (0, "")
    analysis = json.loads((tmp_path / "analysis.json").read_bytes())
    assert [run["rollouts"] for run in analysis["runs"]] == [len(ROWS)]
    assert analysis["flaws"] == []
    assert "report.md" not in json.dumps(analysis["inventory"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_report_is_written_leaves_the_earlier_one(
    run: Path, tmp_path: Path, number: signal.Signals, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = earlier_report(tmp_path)
    monkeypatch.setattr("blade.output.markdown.render", lambda _: signal.raise_signal(number))
    before = signal.getsignal(number)
    done = blade("analyze", run, "-o", out, "--no-cache")
    assert (done.returncode, done.stdout, done.stderr.strip()) == (code, "", "stopped")
    assert {path.name for path in out.iterdir()} == {"report.md"}
    assert (out / "report.md").read_text() == "the good one"
    assert signal.getsignal(number) == before


KILLED = """
import os, sys
from blade import output
from blade.cli import main

output.markdown.render = lambda _: os.kill(os.getpid(), 9)
sys.argv = ["blade", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_earlier_report_and_a_hidden_folder(run: Path, tmp_path: Path) -> None:
    out = earlier_report(tmp_path)
    command = [sys.executable, "-c", KILLED, "analyze", str(run), "-o", str(out), "--no-cache"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert (out / "report.md").read_text() == "the good one"
    assert all(path.name.startswith(".unfinished-") for path in out.iterdir() if path.name != "report.md")
