"""The same command on the same files writes and prints the same, without reading a row; anything else is worked out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Done, blade
from tests.gym_rows import message, response, row, write

from blade import api
from blade.cli import report_cache
from blade.engine import input_files
from blade.facts.cache import FactsCache

SAME = "nothing changed since this was analyzed: the same report (--no-cache works it out anew)\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(report_cache, "RACY_NS", 0)
    return write(tmp_path / "runs" / "rollouts" / "run.jsonl", rows("Done."))


def rows(text: str) -> list[dict[str, object]]:
    return [row(task, 0, float(task % 2), response=response(message(text))) for task in range(6)]


def analyze(run: Path, *options: str | Path, out: str = "out") -> Done:
    folder = run.parents[2]
    return blade("analyze", run, "-o", folder / out, "--cache-dir", folder / "cache", *options)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refuse(*_: object, **__: object) -> Iterator[None]:
    raise AssertionError("rows were read")


def test_the_second_time_nothing_is_read_and_all_is_the_same(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, written = analyze(run), files(tmp_path / "out")
    assert (first.returncode, first.stderr) == (0, "")
    monkeypatch.setattr(api, "read", refuse)
    for path in (tmp_path / "out").glob("*.*"):
        path.unlink()
    (tmp_path / "out" / "assets" / "waterfall.svg").write_text("of another report")
    os.utime(run, (1, 1))
    second = analyze(run)
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, SAME)
    assert files(tmp_path / "out") == written


def test_quiet_is_quiet_the_second_time_too(run: Path) -> None:
    assert [(done.stdout, done.stderr) for done in (analyze(run, "-q"), analyze(run, "-q"))] == [("", "")] * 2


@pytest.mark.parametrize(
    "options",
    [("--no-cache",), ("--timings",), ("--full",), ("--pass-threshold", "0.5"), ("--format", "csv"), ("-q",)],
    ids=str,
)
def test_another_command_is_worked_out(run: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    analyze(run)
    monkeypatch.setattr(api, "read", refuse)
    with pytest.raises(AssertionError, match="rows were read"):
        analyze(run, *options)


def test_another_folder_is_worked_out(run: Path) -> None:
    analyze(run)
    assert SAME not in analyze(run, out="other").stderr


def test_other_content_of_the_same_size_is_worked_out(run: Path, tmp_path: Path) -> None:
    analyze(run)
    before = files(tmp_path / "out")
    write(run, rows("Gone."))
    assert analyze(run).stderr == ""
    assert files(tmp_path / "out") != before
    assert analyze(run).stderr == SAME


@pytest.mark.parametrize("place", ["benchmark.toml", "rollouts/benchmark.toml", "rollouts/run_notes.md"])
def test_a_file_that_comes_beside_the_run_is_read(run: Path, tmp_path: Path, place: str) -> None:
    analyze(run)
    path = tmp_path / "runs" / place
    path.write_text('name = "desk"\n')
    assert analyze(run).stderr == ""
    assert analyze(run).stderr == SAME
    path.write_text('name = "door"\n')
    assert analyze(run).stderr == ""


def test_files_that_the_user_names_are_looked_at(run: Path, tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text("temperature: 0.1\n")
    assert analyze(run, "--config", config).stderr == ""
    assert analyze(run, "--config", config).stderr == SAME
    config.write_text("temperature: 0.2\n")
    assert analyze(run, "--config", config).stderr == ""


def test_another_program_works_it_out(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analyze(run)
    monkeypatch.setattr(report_cache, "program", lambda: ["another"])
    assert analyze(run).stderr == ""


def test_the_program_is_all_of_its_files() -> None:
    files_of_program: Any = input_files.program()[3]
    paths = [Path(path) for path, _, _ in files_of_program]
    assert {path.suffix for path in paths} >= {".py", ".toml", ".html", ".css", ".js"}
    assert {path.name for path in paths} >= {"api.py", "report_cache.py"}


def test_a_file_that_changes_while_it_is_analyzed_is_not_kept(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = api.write

    def write_late(*arguments: Any, **keywords: Any) -> list[Path]:
        write(run, rows("Gone."))
        return written(*arguments, **keywords)

    monkeypatch.setattr(api, "write", write_late)
    analyze(run)
    assert not (tmp_path / "cache" / "reports").exists()


def test_a_file_of_this_moment_is_not_kept(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_cache, "RACY_NS", 10**18)
    analyze(run)
    assert not (tmp_path / "cache" / "reports").exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"digests": {}}'])
def test_a_damaged_entry_is_worked_out_and_made_anew(run: Path, tmp_path: Path, damage: str) -> None:
    first = analyze(run)
    (entry,) = (tmp_path / "cache" / "reports").iterdir()
    (entry / "entry.json").write_text(damage)
    assert (analyze(run).stdout, analyze(run).stderr) == (first.stdout, SAME)


@pytest.mark.parametrize("part", ["names", "outdated"])
@pytest.mark.parametrize("name", ["../kept.txt", "assets/../../kept.txt", "{folder}/kept.txt"])
def test_no_entry_leads_out_of_the_folder_of_the_report(run: Path, tmp_path: Path, part: str, name: str) -> None:
    analyze(run)
    (entry,) = (tmp_path / "cache" / "reports").iterdir()
    (tmp_path / "kept.txt").write_text("mine")
    (entry / "kept.txt").write_text("theirs")
    known = json.loads((entry / "entry.json").read_text())
    known[part].append(name.format(folder=tmp_path))
    (entry / "entry.json").write_text(json.dumps(known))
    assert analyze(run).stderr == ""
    assert (tmp_path / "kept.txt").read_text() == "mine"


def test_a_report_that_is_gone_from_the_entry_leaves_no_half_of_it(run: Path, tmp_path: Path) -> None:
    analyze(run)
    before = files(tmp_path / "out")
    (entry,) = (tmp_path / "cache" / "reports").iterdir()
    (entry / "report" / "report.html").unlink()
    (tmp_path / "out" / "report.html").write_text("of an earlier report")
    assert analyze(run).stderr == ""
    assert files(tmp_path / "out") == before


def test_the_summary_for_a_pipeline_is_always_made(run: Path, tmp_path: Path) -> None:
    for _ in range(2):
        analyze(run, "--format", "github", "--step-summary", tmp_path / "summary.md")
    text = (tmp_path / "summary.md").read_text()
    assert text[: len(text) // 2] == text[len(text) // 2 :]


def test_the_last_few_are_kept_and_the_command_clears_them(run: Path, tmp_path: Path) -> None:
    for number in range(report_cache.MOST_ENTRIES + 2):
        analyze(run, out=f"out{number}")
    assert len(list((tmp_path / "cache" / "reports").iterdir())) == report_cache.MOST_ENTRIES
    cache = FactsCache(tmp_path / "cache")
    assert cache.info()[0] == report_cache.MOST_ENTRIES + 1  # and the facts
    assert blade("cache", "clear", "--cache-dir", tmp_path / "cache").stdout.endswith("5 entries removed\n")
    assert cache.info() == (0, 0)
    assert SAME not in analyze(run).stderr
