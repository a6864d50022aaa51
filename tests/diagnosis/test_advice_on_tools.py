"""What is advised where calls of a tool fail: a tool that refuses a wrong call is not broken."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, write
from tests.made_demo import Demo
from tests.questions.made_cases import called, said, task_row

from blade.diagnosis.remedies import REGRADING


def test_a_tool_that_refuses_a_call_is_not_to_be_made_to_work(tmp_path: Path) -> None:
    refused = ("Error: User not found", "Error: the number of items should match")
    rows = [task_row(n, called("find", {"name": n}, {"id": n}), said(f"Found {n}."), passed=True) for n in range(6)]
    rows += [
        task_row(n, called("find", {"name": n}, refused[n % 2]), said("I could not."), passed=False)
        for n in range(6, 10)
    ]
    changes = [one.change for one in analysed(write(tmp_path / "one.jsonl", rows)).interventions]
    assert any("say in its description what a call needs" in change for change in changes)
    assert not any("Make the tool work" in change for change in changes)


def test_calls_of_a_tool_that_broke_between_two_runs_are_no_matter_for_a_verifier(demo: Demo) -> None:
    """The demo's candidate calls a search whose column is gone: nobody need decide between two verifiers."""
    changes = {step.change for step in demo.analysis.interventions if "tool_keeps_failing" in (step.mode or "")}
    assert any("what the failing calls ask of the tool" in change for change in changes)
    assert not any(REGRADING.change in step.change for step in demo.analysis.interventions)
