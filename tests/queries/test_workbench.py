"""The questions as Python: the same answers as the command line's, as data frames."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import blade as run_blade

import blade
from blade.queries.workbench import Workbench


@pytest.fixture(scope="module")
def bench(pair: tuple[Path, Path], kept_index: Path) -> Workbench:
    return blade.workbench(*pair, options=blade.Options(cache_dir=kept_index))


def test_tasks_against_runs(bench: Workbench) -> None:
    assert bench.runs == ["early", "late"]
    lost = bench.tasks(moved="lost")
    assert lost.rows() == [("desk-1", "early", 2, 2, 0), ("desk-1", "late", 0, 2, 0)]
    assert bench.tasks(never=True)["task"].unique().to_list() == ["desk-3"]


def test_words_with_who_wrote_them(bench: Workbench) -> None:
    found = bench.grep("cannot search", actor=["model"], outcome="failed")
    assert found.height == 7
    assert found["actor"].unique().to_list() == ["model"]
    assert found["quote"][0] == "I cannot search for rooms."


def test_counts_run_by_run_and_by_group(bench: Workbench) -> None:
    counts = bench.count("failed and not void")
    assert counts.select("run", "rollouts", "of_rollouts").rows() == [
        ("early", 4, 8),
        ("late", 3, 8),
        ("all runs", 7, 16),
    ]
    groups = bench.count("failed and not void", by=["run", "bucket"])
    assert ("late", "never", 3) in groups.select("run", "bucket", "rollouts").rows()
    assert bench.find("void")["task"].to_list() == ["desk-3"]
    assert {"void", "mechanism", "label"} <= set(bench.columns()["column"].to_list())


def test_what_separates_and_what_to_read(bench: Workbench) -> None:
    features = bench.contrast("failed and not void", "passed")
    assert features.columns == ["name", "kind", "first", "of_first", "second", "of_second", "p", "q", "within"]
    assert "calls_failed" in features["name"].to_list()
    assert bench.reading_list(3).columns == ["run", "task", "attempt", "outcome", "why"]
    assert bench.reading_list(3, at_random=True)["outcome"].unique().to_list() == ["fail"]


def test_transcripts_and_sections_are_text(bench: Workbench) -> None:
    assert "I cannot search for rooms." in bench.show("desk-1", run="late")
    assert bench.report("score_change").startswith("## Score Change")
    assert "`early` scores the same as `late`" in bench.report(pair=("late", "early"))


def test_a_question_is_kept_and_a_report_that_cites_it_is_proved(
    bench: Workbench, pair: tuple[Path, Path], kept_index: Path, tmp_path: Path
) -> None:
    bench.count("failed and not void", run=["late"])
    citation = bench.keep(tmp_path)
    (tmp_path / "report.md").write_text(f"# Notes\n\n3 rollouts of `late` fail {citation}.\n", encoding="utf-8")
    done = run_blade("check", tmp_path / "report.md", "--runs", *pair, "--cache-dir", kept_index, folder=tmp_path)
    assert done.returncode == 0, done.stdout


def test_notes_are_written_where_they_are_asked_for(bench: Workbench, tmp_path: Path) -> None:
    file = tmp_path / "annotations.jsonl"
    note = bench.note("desk-1", run="late", author="ann", label="BI", quote="I cannot search", file=file)
    assert (note.run, note.task, note.label) == ("late", "desk-1", "BI")
    assert file.read_text(encoding="utf-8").count("\n") == 1
