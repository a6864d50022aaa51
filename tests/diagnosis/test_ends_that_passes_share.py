"""An end without a message that passes have nearly as often as failures is how rollouts are recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import ABSENT, Json, analysed, message, response, row, write
from tests.questions.made_cases import called


def rollout(task: int, *, passed: bool, says: bool) -> Json:
    items = [*called("look", {"at": task}, "a lid"), *called("put", {"lid": task}, "taken")]
    output = response(*items, *([message("So it is.")] if says else []))
    return row(task, reward=float(passed), response=output, expected_answer=ABSENT, extracted_answer=ABSENT)


@pytest.mark.parametrize(("silent_passes", "is_mode"), [(8, False), (1, True)])
def test_it_is_a_mode_where_passes_seldom_end_so(tmp_path: Path, silent_passes: int, *, is_mode: bool) -> None:
    rows = [rollout(task, passed=True, says=task >= silent_passes) for task in range(20)]
    rows += [rollout(task, passed=False, says=task >= 32) for task in range(20, 40)]
    modes = {mode.name for mode in analysed(write(tmp_path / "run.jsonl", rows)).modes}
    assert ("cut-off after a tool's output" in modes) is is_mode
