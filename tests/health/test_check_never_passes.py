"""A check that no rollout passes is told, unless it is unfinished work that fails it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, row, write


def _row(task: int, attempt: int, mode: str) -> Json:
    """Task 1 fails one of two checks; the others pass in every other attempt."""
    met = task != 1 and attempt % 2 == 0
    results = {"test_jars": "passed", "test_label": "passed" if met else "failed"}
    verifier = {"test_results": results, "failure_mode": mode if task == 1 else "unset"}
    return row(task, attempt, float(met), verifier=verifier, expected_answer=ABSENT, extracted_answer=ABSENT)


@pytest.mark.parametrize(("mode", "tasks"), [("unset", ["1"]), ("agent_timeout", [])])
def test_a_check_is_doubted_where_the_work_was_done(mode: str, tasks: list[str], tmp_path: Path) -> None:
    rows = [_row(task, attempt, mode) for task in range(8) for attempt in range(4)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows[::order])}" for name, order in (("one", 1), ("two", -1))]
    items = [item for item in analysed(*paths).health if item["check"] == "check_never_passes"]
    assert [item["tasks"] for item in items] == [[task] for task in tasks]


def test_a_check_that_passes_do_without_is_one_of_several(tmp_path: Path) -> None:
    rows = [_row(task, attempt, "unset") for task in range(8) for attempt in range(4)]
    rows[4] |= {"reward": 1.0}
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name in ("one", "two")]
    assert [item for item in analysed(*paths).health if item["check"] == "check_never_passes"] == []
