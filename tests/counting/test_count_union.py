"""Without a manifest, a run beside it shows what a run lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.gym_rows import given, row, write

import blade


def runs(tmp_path: Path, first: range, second: range, *, manifest: bool = False) -> blade.Analysis:
    a = write(tmp_path / "a.jsonl", [row(task, attempt) for task in first for attempt in range(2)])
    b = write(tmp_path / "b.jsonl", [row(task, attempt) for task in second for attempt in range(2)])
    if manifest:
        write(
            tmp_path / "a_materialized_inputs.jsonl", [given(task, attempt) for task in first for attempt in range(2)]
        )
    return blade.analyze(a, b, options=blade.Options(cache=False))


def chain(analysis: blade.Analysis, place: int) -> Any:
    return analysis.runs[place].denominator


def test_tasks_that_only_the_other_run_shows_are_missing_here(tmp_path: Path) -> None:
    analysis = runs(tmp_path, range(8), range(10))
    assert (chain(analysis, 0).expected, chain(analysis, 0).counted) == (20, 16)
    assert chain(analysis, 0).expected_source == "inferred"
    assert "2 tasks that only the runs beside it show" in chain(analysis, 0).expected_note
    assert (analysis.runs[0].buckets or {})["missing"] == 2
    assert chain(analysis, 1).expected == 20
    assert not chain(analysis, 1).losses


def test_the_order_of_the_runs_does_not_matter(tmp_path: Path) -> None:
    analysis = runs(tmp_path, range(10), range(8))
    assert [chain(analysis, place).expected for place in (0, 1)] == [20, 20]
    assert (analysis.runs[1].buckets or {})["missing"] == 2


def test_a_task_stands_once_and_under_the_name_of_the_run_that_has_it(tmp_path: Path) -> None:
    analysis = runs(tmp_path, range(8), range(10))
    assert [task.task for task in analysis.tasks] == [str(number) for number in range(10)]
    assert all(set(task.runs) == {"a", "b"} for task in analysis.tasks)
    assert analysis.tasks[9].text


def test_a_manifest_has_the_last_word(tmp_path: Path) -> None:
    analysis = runs(tmp_path, range(8), range(10), manifest=True)
    assert (chain(analysis, 0).expected_source, chain(analysis, 0).expected) == ("manifest", 16)


def test_runs_that_share_few_tasks_expect_nothing_of_each_other(tmp_path: Path) -> None:
    analysis = runs(tmp_path, range(6), range(4, 10))
    assert [chain(analysis, place).expected for place in (0, 1)] == [12, 12]
    assert not [loss for place in (0, 1) for loss in chain(analysis, place).losses]
