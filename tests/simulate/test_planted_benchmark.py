"""The planted-cause benchmark runs, whether or not the engine explains changes yet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks import planted
from benchmarks.planted_suite.kinds import kinds, names
from benchmarks.planted_suite.planted_case import CaseTruth, PlantedCase, case


def oracle(truth: CaseTruth) -> dict[str, Any]:
    """What an engine would say that knows the truth."""
    luck = truth.delta - sum(part.realised for part in truth.parts)
    firm = truth.knowable in ("identified", "bounds")
    parts = [
        {
            "cause": part.cause,
            "sub": part.sub,
            "points": part.realised,
            "interval": [min(part.points, part.realised), max(part.points, part.realised)],
            "status": "identified" if firm else "not_identified",
            "named": firm,
            "significant": firm,
            "tasks": [*part.tasks, *part.where.get("added", ())],
            "rollouts": part.rollouts,
            "where": part.where,
            "evidence": [],
        }
        for part in truth.parts
    ]
    remainder: dict[str, Any] = {
        "cause": "behaviour",
        "sub": None,
        "points": luck,
        "interval": None,
        "status": "assumed",
        "named": False,
        "significant": False,
    }
    slices = [{"where": part.where, "named": True} for part in truth.parts if "category" in part.where]
    churn = 0.001 if truth.group == "churn" else 0.5
    every = [*parts, remainder]
    return {"delta": sum(part["points"] for part in every), "churn_p": churn, "slices": slices, "parts": every}


def test_jobs_keep_even_and_odd_seeds_apart() -> None:
    even, odd = planted.make_jobs(6, ["null", "broken_tool"]), planted.make_jobs(6, ["null"], odd=True)
    assert {job.seed % 2 for job in even} == {0}
    assert {job.seed % 2 for job in odd} == {1}
    assert len(even) == 12
    assert planted.make_jobs(6, ["null", "broken_tool"]) == even
    assert {job.level for job in even if job.kind == "broken_tool"} == {"E2", "E1", "E0"}


@pytest.mark.slow
def test_an_engine_that_knows_the_truth_meets_every_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted, "explain", lambda planted_case: {"change": oracle(planted_case.truth), "health": []})
    cases = [
        case(name, level, 2, tmp_path / f"{name}{level}", tasks=24, repeats=2, dose=9.0)
        for name in names()
        for level in kinds()[name].knowable
    ]
    summary = planted.score_cases(cases)
    assert summary.cases == len(cases)
    missed = {line.measure for line in summary.missed} - {"identified: interval holds the truth"}
    assert not missed
    assert summary.line("identified: interval holds the truth").value == 1
    assert summary.share_error == pytest.approx(0, abs=1e-9)
    assert summary.f1 == 1


def test_without_an_explained_change_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(planted, "explain", lambda _: {"change": None, "health": []})
    assert planted.main(["--cases", "1", "--kinds", "null", "duplicated_rows", "--jobs", "1"]) == 0
    assert "gives no `change` for 2 of 2 cases" in capsys.readouterr().out


def test_a_crash_is_told_and_the_other_cases_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stumble(planted_case: PlantedCase) -> dict[str, Any]:
        if planted_case.truth.kind == "null":
            raise ZeroDivisionError("no rows")
        return {"change": oracle(planted_case.truth), "health": []}

    monkeypatch.setattr(planted, "explain", stumble)
    out = tmp_path / "marks.json"
    arguments = ["--cases", "1", "--kinds", "null", "duplicated_rows", "--jobs", "1", "--json", str(out)]
    assert planted.main(arguments) == 1
    output = capsys.readouterr().out
    assert "stopped on 1 of 2 cases" in output
    assert "ZeroDivisionError: no rows" in output
    assert json.loads(out.read_text())["summary"]["cases"] == 1
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        planted.score_cases([case("null", "E2", 2, tmp_path, tasks=6, repeats=1)])


def test_broken_invariances_are_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(planted, "explain", lambda planted_case: {"change": oracle(planted_case.truth), "health": []})
    planted.main(["--cases", "2", "--kinds", "duplicated_rows", "--jobs", "1", "--invariances", "1"])
    output = capsys.readouterr().out
    assert "broken in 1 of 1 cases. duplicated_rows E2 (swapped)" in output


def test_the_engine_reads_every_benchmark_of_a_case(tmp_path: Path) -> None:
    for number, kind in enumerate(("tasks_swapped", "broken_tool")):
        planted_case = case(kind, "E2", 2, tmp_path / str(number), tasks=8, repeats=2)
        answer = planted.answer(planted_case)
        assert not answer.error
