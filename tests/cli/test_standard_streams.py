"""What the command line does with its two streams: a closed pipe, a full disk, a terminal, --quiet."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import row, write

from blade import timings
from blade.cli import progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("words", ["list detectors", "show {run} 0 --full"])
def test_a_closed_pipe_is_no_failure(words: str, tmp_path: Path) -> None:
    """`show` writes through rich, `list` through click: each ends a command with 1 if it is left to."""
    run = write(tmp_path / "run.jsonl", [row(0, note="word " * 20_000)])
    command = [sys.executable, "-m", "blade", *words.format(run=run).split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().decode()
    assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_locale_lacks_are_printed_as_escapes(encoding: str, tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", [row(task, attempt, float(attempt)) for task in range(3) for attempt in (0, 1)])
    command = [sys.executable, "-m", "blade", "analyze", str(run), "-o", str(tmp_path / "out"), "--no-cache"]
    environment = {**os.environ, "PYTHONIOENCODING": f"{encoding}:strict", "PYTHONUTF8": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert "report.md" in done.stdout.decode(encoding)


def test_an_error_about_thousands_of_letters_is_short(tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", [row(0)])
    done = blade("count", "x" * 90_000, run, "--no-keep")
    assert (done.returncode, len(done.stderr) < 6_000) == (2, True)


def test_a_full_disk_behind_standard_output_is_an_error_of_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "blade", "list", "readers"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode() == "blade: standard output: no space is left to write.\n"


def test_quiet_prints_nothing_and_writes_the_report(tmp_path: Path) -> None:
    run = write(tmp_path / "run.jsonl", [row(task) for task in range(3)])
    done = blade("analyze", run, "-o", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out" / "report.md").exists()


def test_progress_names_the_stages_after_reading_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write(tmp_path / "run.jsonl", [row(0)])
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.reading([str(run)]) as advance:
        assert advance is not None
        _wait(lambda: "\x1b" in screen.getvalue())
        with timings.stage(timings.READING):
            advance(run.stat().st_size)
            _wait(lambda: "100%" in screen.getvalue())
        with timings.stage("compare"):
            _wait(lambda: "compare" in screen.getvalue())
    assert "100%" in screen.getvalue()
    assert "compare" in screen.getvalue()
    assert "%" not in screen.getvalue().partition("compare")[2], "nobody knows how much of it is done"


def _wait(met: Callable[[], bool]) -> None:
    """The bar is drawn by a thread of its own, ten times a second."""
    for _ in range(500):
        if met():
            return
        time.sleep(0.01)


def test_no_progress_for_a_file_or_with_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", StringIO())
    with progress.reading([]) as advance:
        assert advance is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.reading([], quiet=True) as advance:
        assert advance is None


def test_names_out_of_files_do_nothing_to_the_screen(tmp_path: Path) -> None:
    """An agent's name that writes into the clipboard and turns the screen red is part of the run's name."""
    names = ("\x1b]52;c;aGk=\x07\x1b[31mred", "blue\u202e\x1b]8;;file:///x\x1b\\link")
    rows = [row(task, agent_ref={"name": name}) for name in names for task in range(3)]
    path = write(tmp_path / "run.jsonl", rows)
    wrong = blade("analyze", path, "--baseline", "other", "-o", tmp_path / "out")
    assert wrong.returncode == 2
    assert "Runs here: " in wrong.stderr
    listed = blade("rerun-list", path)
    assert "attempts to run again" in listed.stderr
    commands = (
        ("analyze", path, "-o", tmp_path / "out"),
        ("tasks", path, "--no-keep"),
        ("grep", "What", path, "--no-keep"),
        ("reading-list", path),
        ("show", path, "0", "--writes"),
    )
    for text in (wrong.stderr, listed.stderr, *(blade(*words).stdout for words in commands)):
        assert "red" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
