"""Rollouts that the files call broken or without a verdict are void, wherever they stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write

from blade import api
from blade.options import Options


def test_rows_without_a_verdict_are_told_by_their_own_word(tmp_path: Path) -> None:
    results = tmp_path / "lite" / "dim" / "results"
    results.mkdir(parents=True)
    resolved = [f"l__l-{task}" for task in range(20)]
    lists = {"no_logs": ["l__l-90"], "no_generation": ["l__l-91"], "resolved": resolved}
    (results / "results.json").write_text(json.dumps(lists))
    analysis = api.analyze(results.parent, options=Options(cache=False))
    (found,) = (item for item in analysis.health if item["check"] == "void_attempts")
    assert found["statement"] == "1 rollout of dim was broken or got no verdict: the source's own status: no_logs (1)."
    assert (found["tasks"], found["severity"]) == (["l__l-90"], "medium")


def silent_run(path: Path, *, blank: int, passing: int = 0) -> Path:
    """Twelve rollouts: the first say nothing, and of these the first pass."""

    def rollout(task: int) -> Json:
        said = response(message("" if task < blank else f"It is {task}."))
        return row(task, 0, float(task < passing or task >= blank), response=said)

    return write(path / "dim" / "rollouts.jsonl", [rollout(task) for task in range(12)])


def test_empty_replies_are_told_with_the_score_without_them(tmp_path: Path) -> None:
    health = analysed(silent_run(tmp_path, blank=3)).health
    (found,) = (item for item in health if item["check"] == "void_attempts")
    assert found["statement"] == (
        "3 rollouts of dim ended normally with an empty reply and no call; all were billed output tokens; none passes. "
        "The model said nothing, or what it said was lost. The mean reward is 75.0% with them, 100.0% without."
    )
    assert (len(found["tasks"]), found["severity"]) == (3, "high")


@pytest.mark.parametrize(("blank", "passing"), [(2, 0), (4, 1), (12, 0)])
def test_few_empty_replies_or_some_that_pass_are_no_loss(tmp_path: Path, blank: int, passing: int) -> None:
    health = analysed(silent_run(tmp_path, blank=blank, passing=passing)).health
    assert not [item for item in health if "empty reply" in item["statement"]]
