"""A limit is a setting though its name speaks of outputs or dates; how many workers there were binds no agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import read, row, write

from blade.counting.row_settings import limit_settings, row_settings


def settings(folder: Path, name: str, value: Any) -> dict[str, Any]:
    """The settings that all rows of a run state, and those of them that are limits."""
    rows = [row(task, 0, float(task % 2), steps={name: value, "mode": "plain"}) for task in range(24)]
    (run,) = read(write(folder / "rollouts.jsonl", rows))
    stated = row_settings(run.columns, run.facts.height)
    limits = {key: number for key, number in limit_settings(run.columns, run.facts.height, []).items() if key in stated}
    shown = {key: value for key, value in stated.items() if key.startswith("steps.")}
    assert shown.pop("steps.mode") == "plain"
    assert shown == limits
    return shown


@pytest.mark.parametrize(
    "name",
    [
        "output_limit_chars",
        "max_output",
        "log_limit",
        "result_cap",
        "max_results",
        "run_budget",
        "file_limit",
        "max_sessions_per_session",
        "date_limit",
        "upload_source_quota",
    ],
)
def test_a_limit_of_what_is_written_is_a_limit(tmp_path: Path, name: str) -> None:
    assert settings(tmp_path, name, 4000) == {f"steps.{name}": 4000}


@pytest.mark.parametrize(
    "name",
    [
        "max_workers",
        "max_concurrency",
        "max_parallel",
        "node_limit",
        "job_limit",
        "cache_limit",
        "limit_id",
        "max_index",
        "time_limit",
    ],
)
def test_a_limit_of_how_a_run_was_made_is_none(tmp_path: Path, name: str) -> None:
    assert settings(tmp_path, name, 8) == {}


@pytest.mark.parametrize("name", ["output_chars", "log_lines", "result_size", "run_number", "session"])
def test_without_a_word_for_a_limit_such_a_field_is_no_setting(tmp_path: Path, name: str) -> None:
    assert settings(tmp_path, name, 4000) == {}


@pytest.mark.parametrize("value", ["none", True])
def test_a_limit_of_outputs_that_is_no_number_is_no_setting(tmp_path: Path, value: Any) -> None:
    assert settings(tmp_path, "output_limit_chars", value) == {}
