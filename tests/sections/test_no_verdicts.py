"""A run whose rollouts all ran and were never judged: nothing was lost, and nothing is to be run again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.gym_rows import analysed, row, write

from blade import api
from blade.model import RunAnalysis
from blade.summary.limit_advice import _late_text


def test_rollouts_without_a_verdict_are_not_said_to_be_lost(tmp_path: Path) -> None:
    rows = [row(task, 0, None) for task in range(3)]
    analysis = analysed(f"one={write(tmp_path / 'one.jsonl', rows)}")
    text = api.render(api.report(analysis))
    first = text.split("## Aggregate Results")[0]
    assert "`one` has 3 rollouts and no verdict on any of them, so that it has no score. (see [Denominator]" in first
    assert "Next (verifier): Judge the outputs that are there before anything is run again: none of 3 rollouts" in first
    assert "No row has a score: there are no pass rates." in text
    assert "rewards are not binary" not in text


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        (["RuntimeError: Agent reached maximum iteration: 50"], "reached a limit of steps or costs"),
        (["max_steps", "cost limit"], "reached a limit of steps or costs"),
        (["AgentTimeoutError after 600 seconds"], "ran out of time"),
        (["max_steps", "timeout of the turn"], "ran out of time"),
        ([], "ran out of time"),
    ],
)
def test_what_rollouts_ran_out_of_is_told_by_their_own_words(reasons: list[str], words: str) -> None:
    told: list[dict[str, Any]] = [{"status": "timed_out", "reason": reason} for reason in reasons]
    assert _late_text(cast("RunAnalysis", SimpleNamespace(reasons=told))) == words
