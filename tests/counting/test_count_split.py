"""Several runs in one file of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, flaws, message, request, response, row, write


def by_model(task: int, attempt: int, model: str) -> dict[str, Any]:
    return row(task, attempt, float(model == "model-a"), response=response(message("Well."), model=model))


def test_models_that_made_the_same_attempts_are_runs_of_their_own(tmp_path: Path) -> None:
    models = ("model-a", "model-b", "model-c")
    path = write(
        tmp_path / "x.jsonl", [by_model(task, n, model) for task in range(4) for n in (0, 1) for model in models]
    )
    runs = analysed(path).runs
    assert [(run.name, run.rollouts, run.metrics["score"]) for run in runs] == [
        ("x@model-a", 8, 1.0),
        ("x@model-b", 8, 0.0),
        ("x@model-c", 8, 0.0),
    ]
    assert all(set(run.metrics["pass_at_k"]) == {"1", "2"} for run in runs)


def test_a_run_that_two_models_share_attempt_by_attempt_stays_one(tmp_path: Path) -> None:
    rows = [by_model(task, n, f"model-{'ab'[n]}") for task in range(10) for n in (0, 1)]
    analysis = analysed(write(tmp_path / "x.jsonl", rows))
    assert [run.name for run in analysis.runs] == ["x"]
    assert flaws(analysis)["mixed-models"] == 20


@pytest.mark.parametrize(
    ("fields", "ends"),
    [
        ([{"metadata": {"agent": "one"}}, {"metadata": {"agent": "two"}}], ["@one", "@two"]),
        (
            [{"responses_create_params": request("?", temperature=heat)} for heat in (0.2, 0.8)],
            ["@temperature=0.2", "@temperature=0.8"],
        ),
    ],
)
def test_so_are_harnesses_and_settings(tmp_path: Path, fields: list[dict[str, Any]], ends: list[str]) -> None:
    rows = [row(task, agent_ref=None) | told for task in range(3) for told in fields]
    assert [run.name for run in analysed(write(tmp_path / "x.jsonl", rows)).runs] == [f"x{end}" for end in ends]
