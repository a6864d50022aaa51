"""What is known of failures by the verifier's own words is not told as explained."""

from __future__ import annotations

from pathlib import Path

from tests.gym_rows import analysed, row, write
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
