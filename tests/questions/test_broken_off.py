"""Failures far shorter than the passes of their run at the same task: told one by one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.gym_rows import analysed, row, write
from tests.questions.made_cases import words

from blade.questions import broken_off

PASSES = (300.0, 420.0, 500.0)


def told(tmp_path: Path, failures: Sequence[float], passes: Sequence[float] = PASSES) -> str:
    rows = [
        row(task, attempt, float(attempt < len(passes)), timing={"agent_seconds": seconds})
        for task in range(3)
        for attempt, seconds in enumerate((*passes, failures[task]))
    ]
    answer = analysed(write(tmp_path / "run" / "rollouts.jsonl", rows)).investigation.get("broken_off")
    return words(broken_off.tell(answer)) if answer else ""


def test_the_failure_that_took_next_to_no_time_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, (31.0, 400.0, 380.0)) == (
        "1 failure took less than a fifth of the time of every pass of the same run at the same task, and may have "
        "been broken off: read how it ends.\n"
        "0, attempt 3 of run: 31 s; its 3 passes took 300 to 500 s."
    )


@pytest.mark.parametrize(
    ("failures", "passes"),
    [
        ((90.0, 400.0, 380.0), PASSES),  # a fourth of the shortest pass
        ((31.0, 30.0, 380.0), PASSES),  # most failures stop early: that is how the run fails
        ((31.0, 400.0, 380.0), (300.0, 300.2, 300.4)),  # the passes end at a limit
        ((1.0, 9.0, 8.0), (10.0, 12.0, 14.0)),  # a start decides
        ((31.0, 400.0, 380.0), (300.0,)),  # one pass says little
    ],
)
def test_nothing_is_told_where_time_says_little(
    tmp_path: Path, failures: Sequence[float], passes: Sequence[float]
) -> None:
    assert told(tmp_path, failures, passes) == ""
