"""Runs of other programs while they are written, counted in partitions, and with notes of somebody who read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.formats.samples import attempts, bfcl, mapped

from blade import api, overview
from blade.options import Options


def row(task: str, success: bool) -> str:
    messages = [{"role": "user", "content": "Which one?"}, {"role": "assistant", "content": "That one."}]
    return json.dumps({"task_id": task, "trial": 0, "success": success, "messages": messages}) + "\n"


def test_a_growing_file_is_followed_with_its_own_task_ids(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(row("one", True) + row("two", False))
    looks = overview.follow(file, options=Options(), every=0.0)
    first = next(looks)
    with file.open("a") as stream:
        stream.write(row("three", True))
    second = next(looks)
    looks.close()  # type: ignore[attr-defined]
    assert (first.tasks, first.rollouts, first.score) == (2, 2, 0.5)
    assert (second.tasks, second.rollouts) == (3, 3)
    assert second.score == pytest.approx(2 / 3)


def test_partitions_count_tasks_by_their_ids_where_no_prompt_is_kept(tmp_path: Path) -> None:
    (bench,) = bfcl.write(tmp_path)
    (summary,) = overview.summarize(bench, options=Options(cache=False)).values()
    assert (summary.tasks, summary.rollouts, summary.copies) == (5, 5, 0)


def test_a_note_stands_beside_the_source_and_is_read_with_it(tmp_path: Path) -> None:
    steady, _ = attempts.write(tmp_path)
    words = ("--label", "BI", "--mechanism", "gives up", "--author", "Ada", "--quote", "I could not find out.")
    done = blade("note", str(steady), "t2", "--attempt", "1", *words)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "annotations.jsonl").is_file()
    (run,) = api.read(steady, options=Options(cache=False))
    assert [(note.task, note.attempt, note.label) for note in run.raw.annotations] == [("t2", 1, "BI")]
    assert "t2 #1: BI, gives up (Ada)" in blade("note", str(steady), "--list").stdout


def test_notes_in_a_folder_with_a_map_are_no_table(tmp_path: Path) -> None:
    (study,) = mapped.write(tmp_path)
    done = blade(
        "note",
        str(study),
        "004",
        "--run",
        "amber",
        "--label",
        "KG",
        "--author",
        "Ada",
        "--mechanism",
        "elm",
        "--quote",
        "elm",
    )
    assert done.returncode == 0, done.stderr
    runs = api.read(study, options=Options(cache=False))
    assert [(run.name, run.facts.height, len(run.raw.annotations)) for run in runs] == [
        ("amber", 4, 1),
        ("basalt", 4, 1),
    ]
