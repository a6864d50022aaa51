"""The rows' own verdicts: a stage is no contradiction, and a contradiction is no stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, message, read, response, row, write

from blade.model import Analysis


def judged(task: int, attempt: int, reward: float, **fields: Any) -> dict[str, Any]:
    said = response(message(f"{task} {attempt} {sorted(fields.items())}"))
    return row(task, attempt, reward, response=said, extracted_answer="x", expected_answer="y", **fields)


def staged(name: str = "first_check_passed", *, told: bool = False, tasks: int = 24) -> list[Any]:
    """Of four attempts at each task two pass; of the others one passes the first check and fails the further one."""
    rows = []
    for task in range(tasks):
        for attempt in range(4):
            passed = attempt < 2
            fields: dict[str, Any] = {name: attempt < 3}
            rows.append(
                judged(task, attempt, float(passed), **fields, **({"is_right_at_last": passed} if told else {}))
            )
    return rows


def blamed(analysis: Analysis) -> list[str]:
    """Everything that would make the verifier answer for it."""
    found = [item["check"] for item in analysis.health if item["check"] == "contradictory_fields"]
    found += [mode.id for mode in analysis.modes if mode.kind == "verifier"]
    found += [finding.detector for finding in analysis.findings if finding.family == "verifier"]
    found += [f"{label.task} TI" for label in analysis.labels if "TI" in label.labels]
    return found + [part.cause for change in analysis.changes for part in change.parts if part.cause == "verifier"]


@pytest.mark.parametrize("name", ["is_correct", "passed", "first_check_passed", "verifier.solved"])
def test_a_flag_without_which_nothing_passes_is_a_stage(tmp_path: Path, name: str) -> None:
    rows = staged(name.rpartition(".")[2])
    if "." in name:
        rows = [
            {key: value for key, value in one.items() if key != "solved"} | {"verifier": {"solved": one["solved"]}}
            for one in rows
        ]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert blamed(analysis) == []
    (mode,) = [mode for mode in analysis.modes if mode.detector == "further_check_failed"]
    assert mode.name == f"one check passed, a further one failed: {name}"
    assert mode.runs["a"]["rollouts"] == 24
    chain = [(stage["stage"], stage["runs"]["a"]["survived"]) for stage in analysis.funnel if stage["necessary"]]
    assert chain[-3:] == [("verified", 96), (f"check {name}", 72), ("passed", 48)]


def test_the_further_check_is_named_where_a_field_tells_it(tmp_path: Path) -> None:
    analysis = analysed(write(tmp_path / "a.jsonl", staged("is_correct", told=True)))
    assert blamed(analysis) == []
    assert {mode.name for mode in analysis.modes if mode.detector == "further_check_failed"} == {
        "one check passed, a further one failed: is_correct"
    }
    rows = [{**one, "is_correct_plus": one["reward"] == 1.0} for one in staged("is_correct")]
    named = analysed(write(tmp_path / "b.jsonl", rows))
    assert "one check passed, a further one failed: is_correct, not is_correct_plus" in {m.name for m in named.modes}
    (finding, *_) = [one for one in named.findings if one.detector == "further_check_failed"]
    assert [(cite.field, cite.quote) for cite in finding.evidence] == [
        ("row.is_correct", "true"),
        ("row.is_correct_plus", "false"),
    ]


def test_counts_of_which_all_are_met_are_a_stage_too(tmp_path: Path) -> None:
    rows = [
        judged(task, attempt, float(attempt < 2), num_passed=4 if attempt < 3 else 1, num_total=4)
        for task in range(12)
        for attempt in range(4)
    ]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert blamed(analysis) == []
    assert "one check passed, a further one failed: num_passed (all)" in {mode.name for mode in analysis.modes}


def test_two_runs_of_one_staged_benchmark_have_no_verifier_part(tmp_path: Path) -> None:
    better = staged("is_correct")
    worse = [
        judged(one["_ng_task_index"], one["_ng_rollout_index"], one["reward"], is_correct=one["is_correct"], run="b")
        for one in better
    ]
    for one in worse:
        if one["_ng_rollout_index"] == 1 and one["_ng_task_index"] % 2:
            one["reward"] = 0.0
    analysis = analysed(write(tmp_path / "a.jsonl", better), write(tmp_path / "b.jsonl", worse))
    assert analysis.changes[0].delta == pytest.approx(-0.125)
    assert blamed(analysis) == []


def test_a_flag_that_a_pass_contradicts_is_a_contradiction_where_it_nearly_always_agrees(tmp_path: Path) -> None:
    rows = [
        judged(task, attempt, float(attempt < 2), is_correct=attempt < 2) for task in range(12) for attempt in range(4)
    ]
    rows[0]["is_correct"], rows[3]["is_correct"] = False, True
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert "contradictory_fields" in blamed(analysis)
    assert "score_field_conflict" in blamed(analysis)
    with_verdict = [one | {"accepted": one["reward"] == 1.0} for one in rows]
    assert blamed(analysed(write(tmp_path / "b.jsonl", with_verdict))) == []


def test_a_flag_that_often_differs_both_ways_is_another_measure(tmp_path: Path) -> None:
    rows = [
        judged(task, attempt, float(attempt < 2), is_correct=(task + attempt) % 3 > 0)
        for task in range(12)
        for attempt in range(4)
    ]
    analysis = analysed(write(tmp_path / "a.jsonl", rows))
    assert blamed(analysis) == []
    assert read(tmp_path / "a.jsonl")[0].verdicts.stages == ()


def test_a_flag_that_is_true_on_nearly_every_row_is_no_stage(tmp_path: Path) -> None:
    rows = [
        judged(task, attempt, float(attempt < 1 and task < 2), success=bool(task or attempt < 3))
        for task in range(12)
        for attempt in range(4)
    ]
    (run,) = read(write(tmp_path / "a.jsonl", rows))
    assert (run.verdicts.stages, run.verdicts.disputed) == ((), frozenset())
