"""Which rows a judge that reads and reasons has judged."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.judges import judge_field


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"judge_output": "Verdict: B"}, "judge_output"),
        ({"judge_evaluations": [{"response": {}}]}, "judge_evaluations"),
        ({"verifier": {"judgement": "No."}}, "verifier.judgement"),
        ({"llm_judge_score": 0.0}, "llm_judge_score"),
        ({"judge_passed": False}, "judge_passed"),
        ({"verifier": {"scores": {"judge_reward": 0.0, "turns": 1.0}}}, "verifier.scores.judge_reward"),
        ({"metrics": {"judge_score": 1.0}}, "metrics.judge_score"),
    ],
)
def test_a_judge_that_was_heard_is_named(row: dict[str, Any], field: str) -> None:
    assert judge_field(row) == field


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"judge_evaluations": None},
        {"judge_output": " "},
        {"judge_error": "no answer"},
        {"invalid_judge_response": False},
        {"no_judge_score": 0.0},
        {"judge_tokens": 12},
        {"expected_judgement": "Yes", "extracted_judgement": "No"},
        {"verifier": "judge"},
        {"verifier": {"scores": {"judge_tokens": 3, "exact_match": 0.0}}},
    ],
)
def test_nothing_is_a_judge_that_did_not_judge(row: dict[str, Any]) -> None:
    assert judge_field(row) == ""
