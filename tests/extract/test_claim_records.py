"""Claims read back: what each one is about, and where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from blade.evidence import stands
from blade.extract.attempt import Attempt


@pytest.mark.parametrize(
    ("row", "about"),
    [
        ({"response": {"incomplete_details": {"reason": "max_output_tokens"}}}, "tokens"),
        ({"response": {"incomplete_details": {"reason": "content_filter"}}}, "filter"),
        ({"finish_reason": "length"}, "tokens"),
        ({"error": "prompt is too long: 9 tokens > 8 maximum"}, "context"),
        ({"num_turns": 4, "max_turns": 4}, "turns"),
        ({"response": {"error": "overloaded"}}, "provider"),
        ({"response": {"error": {"message": "the sandbox died"}}}, "sandbox"),
        ({"exit_code": 143}, "harness"),
        ({"memory_limit_exceeded": 1}, "memory"),
        ({"request_timed_out": True}, "provider"),
        ({"eval_error": "the tests timed out"}, "verifier time"),
        ({"judge_error": "no idea"}, "verifier"),
        ({"error": "KeyError: 'a'"}, ""),
        ({"ng_model_call_capture": {"calls": [{}, {"error_category": "incomplete"}]}}, "tokens"),
        ({"ng_agent_observations": {"records": [7, {"kind": "sandbox", "outcome": "oom"}]}}, "memory"),
        ({"long_error": "x" * 3000 + " no space left on device"}, "memory"),
    ],
)
def test_a_claim_knows_its_subject_and_its_place(row: dict[str, Any], about: str) -> None:
    made = Attempt(row)
    (claim,) = made.claims
    assert claim.about == about
    cites = made.cite_claim(claim)
    assert cites
    assert all(cite.quote and stands(row, cite) for cite in cites)


def test_a_long_error_is_quoted_around_the_telling_words() -> None:
    made = Attempt({"error": "x " * 900 + "connection refused " + "y " * 100})
    (cite,) = made.cite_claim(made.claims[0])
    assert "connection refused" in cite.quote
