"""What is known of failures by the verifier's own words is not told as explained."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.gym_rows import analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.sections import dominant_failure_modes


def test_failures_that_only_the_verifier_describes(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            reward=float(task > 3),
            expected_answer=None,
            extracted_answer=None,
            verifier={"error": "The list is out of order." if task < 4 else None},
        )
        for task in range(12)
    ]
    told = words(dominant_failure_modes.build(analysed(write(tmp_path / "run.jsonl", rows))))
    assert "4 of them by the verifier's message alone, which says how they fail, not why." in told


def test_unknown_failures_that_share_their_last_call_are_told_so(tmp_path: Path) -> None:
    rows = [
        row(
            task,
            reward=float(task > 7),
            response=response(message("…")),
            expected_answer=None,
            extracted_answer=None,
        )
        for task in range(24)
    ]
    analysis = analysed(f"run={write(tmp_path / 'run.jsonl', rows)}")
    unknown = next(mode for mode in analysis.modes if mode.id == "unexplained").runs["run"]
    assert unknown["without_sign"] == 8

    def told(*tasks: str, run: str = "run") -> str:
        call = {"run": run, "tool": "bash", "arguments": "halt", "failures": 9, "tasks": [*tasks]}
        answers = {**analysis.investigation, "last_calls": {"calls": [call]}}
        return words(dominant_failure_modes.build(replace(analysis, investigation=answers)))

    assert (
        "no known failure mode, but most of these are among 9 failures that share their last call, bash halt."
        in told("0", "1", "2", "3", "4", "20")
    )
    assert "share their last call" not in told("0", "1", "20")
    assert "share their last call" not in told("0", "1", "2", "3", "4", run="other")
