"""Scores, changes and names at the ends of what a file may hold: an answer or a word, never a traceback."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.command_line import blade
from tests.gym_rows import analysed, row, write

from blade.stats.power import tasks_needed


def test_a_change_too_small_to_be_seen_needs_endlessly_many_tasks() -> None:
    assert tasks_needed(1e-200, (1.0, 1.0), (4, 4)) == math.inf
    assert tasks_needed(1e-160, (1e98, 1.0), (4, 4)) == math.inf


def test_scores_beyond_all_measure_are_no_scores_and_are_said(tmp_path: Path) -> None:
    rows = [row(task, reward=1e98 if task % 2 else 1.0) for task in range(8)]
    analysis = analysed(write(tmp_path / "huge.jsonl", rows))
    (run,) = analysis.runs
    assert run.metrics["score"] == pytest.approx(1.0)
    (flaw,) = (flaw for flaw in analysis.flaws if flaw.slug == "no-score")
    assert "a score that is infinite or too large" in flaw.statement
    assert flaw.rows == 4


def test_a_field_to_slice_by_that_no_row_has_is_an_error_with_near_names(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task, metadata={"category": "ab"[task % 2]}) for task in range(8)])
    done = blade("analyze", path, "--slices", "metadata.categry", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert "--slices metadata.categry: no row has such a field." in done.stderr
    assert "The rows have: metadata.category" in done.stderr
    assert blade("analyze", path, "--slices", "metadata.category", "-o", tmp_path / "out").returncode == 0
