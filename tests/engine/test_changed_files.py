"""A file that is not what it was when it was read is a flaw; and every line and rollout is accounted for."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, flaws, read, row, write

from blade import api
from blade.counting.denominator import unaccounted
from blade.engine.rows import RowReader
from blade.model import Loss
from blade.options import Options

ROWS = [row(task, attempt, float((task + attempt) % 2)) for task in range(3) for attempt in range(2)]


def statements(path: Path, change: Any) -> list[str]:
    """What is said of the file where `change` happens between reading and analysis."""
    runs = read(path)
    change(path)
    analysis = api.analyze_runs(runs, Options(cache=False))
    return [flaw.statement for flaw in analysis.flaws if flaw.slug == "file-changed"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda path: write(path, [row(9), row(8), row(7)]), "6 of its 6 rows no longer stand there"),
        (lambda path: write(path, [*ROWS[:5], row(9)]), "1 of its 6 rows no longer stands there"),
        (lambda path: write(path, ROWS[:4]), "2 of its 6 rows no longer stand there"),
        (lambda path: write(path, [*ROWS, row(9)]), "the file grew after it was read"),
        (lambda path: path.write_bytes(gzip.compress(path.read_bytes())), ""),
        (lambda path: path.unlink(), "cannot be opened any more (No such file or directory)"),
        (lambda path: os.utime(path, (1, 1)), ""),
    ],
)
def test_what_became_of_a_file_is_said(tmp_path: Path, change: Any, words: str) -> None:
    words_of_file = statements(write(tmp_path / "run.jsonl", ROWS), change)
    assert len(words_of_file) == bool(words)
    assert words in "".join(words_of_file)


def test_a_file_beside_the_rows_is_watched_too(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", ROWS)
    (tmp_path / "config.yaml").write_text("temperature: 0.5")
    assert statements(tmp_path, lambda _: (tmp_path / "config.yaml").write_text("temperature: 0.9")) == [
        "the file changed after it was read; the report tells the earlier state"
    ]
    assert statements(path, lambda _: (tmp_path / "config.yaml").touch()) == []


def test_rows_that_come_into_the_folder_of_a_run_are_told(tmp_path: Path) -> None:
    """A part that is written later, and a second run; not a file that holds no rows."""
    folder = tmp_path / "run"
    folder.mkdir()
    write(folder / "rollouts-00000.jsonl", ROWS[:3])
    words = "was added to the folder after it was read: it is not in this report"
    assert statements(folder, lambda _: write(folder / "rollouts-00001.jsonl", ROWS[3:])) == [
        f"rollouts-00001.jsonl {words}"
    ]
    assert statements(folder, lambda _: (folder / "thoughts.md").write_text("nothing")) == []
    two = "rollouts-00002.jsonl and 1 more file were added to the folder after it was read: they are not in this report"
    assert statements(
        folder, lambda _: [write(folder / f"rollouts-0000{part}.jsonl", ROWS[3:]) for part in (2, 3)]
    ) == [two]


def test_a_file_that_changes_after_the_analysis_is_a_flaw_of_the_report(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", ROWS)
    runs = read(path)
    analysis = api.analyze_runs(runs, Options(cache=False))
    write(path, [row(9)])
    api.write(tmp_path / "out", runs, analysis, full=True)
    report = (tmp_path / "out" / "report.md").read_text()
    assert "6 of its 6 rows no longer stand there; they are counted as they were, and not quoted" in report
    assert "Every row could be read" not in report


def test_a_line_that_is_neither_a_row_nor_a_flaw_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that forgets a line: no such reader is known, and the sum would show it."""
    add = RowReader.add
    monkeypatch.setattr(RowReader, "add", lambda self, line: line.number == 2 or add(self, line))
    path = write(tmp_path / "run.jsonl", [*ROWS, b"", b"no row", b"[1]"])
    (flaw,) = (flaw for flaw in analysed(path).flaws if flaw.slug == "rows-unaccounted")
    assert flaw.statement == "rows and reasons miss the lines of the file by 1"


def test_a_chain_that_does_not_close_is_noticed(tmp_path: Path) -> None:
    lost = row(7)
    del lost["reward"]
    analysis = analysed(write(tmp_path / "run.jsonl", [*ROWS, lost, row(8, verification_skipped=True), ROWS[0]]))
    (run,) = analysis.runs
    assert flaws(analysis)["no-score"] == 1
    assert unaccounted(run.denominator, run.statuses) == []
    short = replace(run.denominator, losses=(Loss("no usable score", 3),))
    assert unaccounted(short, run.statuses)[0].statement.startswith("counted rollouts and losses miss the rollouts")
    assert unaccounted(run.denominator, {"ok": 1})[0].statement.startswith("the statuses miss the rollouts of the run")
    more = replace(run.denominator, expected=99)
    assert unaccounted(more, run.statuses)[0].statement.startswith("the rollouts that were looked for miss")
