"""What a field's name claims, and, more often, what it does not."""

from __future__ import annotations

import pytest

from blade.extract.names import (
    first_word,
    flag_status,
    is_error_text,
    is_gold,
    is_metadata,
    is_outcome,
    is_pass_flag,
    words,
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("verifier.agentTimedOut", ("agent", "timed", "out")),
        ("HTTPError", ("http", "error")),
        ("a\\.b_c", ("a", "b", "c")),
        ("F1", ("f", "1")),
        ("", ()),
        ("___", ()),
    ],
)
def test_names_are_read_as_words(name: str, found: tuple[str, ...]) -> None:
    assert words(name) == found


def test_a_name_without_a_letter_is_its_own_first_word() -> None:
    assert [first_word(name) for name in ("cancel_order", "getUser", "/", "")] == ["cancel", "get", "/", ""]


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("agent_timed_out", ("timed_out", True)),
        ("eval_timed_out", ("verifier_error", True)),
        ("request_timeout", ("infrastructure", True)),
        ("context_length_exceeded_error", ("truncated", True)),
        ("memory_limit_exceeded_error", ("infrastructure", True)),
        ("evaluation_completed", ("verifier_error", False)),
        ("invalid_judge_response", ("verifier_error", True)),
        ("extraction_successful", ("malformed", False)),
        ("parse_failed", ("malformed", True)),
        ("finished_naturally", ("truncated", False)),
    ],
)
def test_flags_that_claim_trouble(name: str, claim: tuple[str, bool]) -> None:
    assert flag_status(name) == claim


@pytest.mark.parametrize(
    "name",
    [
        "reward", "resolved", "passed", "is_correct", "success", "terminated", "completed", "tool_name_match",
        "target_match", "use_box_format", "judge_passed", "abstention", "is_refusal", "mask_sample", "timeout_seconds",
        "max_steps", "turns_used", "context", "test_passed", "patch_exists", "apply_failed", "failed", "error",
        "judge_evaluation_failed", "format", "rendering", "agent_run_time", "no_hint", "",
    ],
)  # fmt: skip
def test_flags_that_claim_none(name: str) -> None:
    assert flag_status(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "error",
        "exception_type",
        "failure_reason",
        "error_message",
        "stop_reason",
        "verifier_error",
        "x.error_kind",
        "run.exc",
        "run.last_err",
    ],
)
def test_names_whose_text_tells_of_trouble(name: str) -> None:
    assert is_error_text(name)


@pytest.mark.parametrize(
    "name",
    [
        "reason", "message", "details", "status", "type", "errors_expected_by_the_task", "state", "question",
        "stderr", "generation", "category", "kind", "error_rate", "mean_error_px", "",
    ],
)  # fmt: skip
def test_names_whose_text_does_not(name: str) -> None:
    assert not is_error_text(name)


@pytest.mark.parametrize(
    ("name", "gold", "outcome", "metadata"),
    [
        ("expected_answer", True, True, False),
        ("verifier_metadata.answer", True, True, False),
        ("extracted_answer", False, True, False),
        ("difficulty", False, False, True),
        ("metadata.category", False, False, True),
        ("law_version", False, False, True),
        ("num_correct", False, True, False),
        ("f1", False, False, False),
        ("question", False, False, False),
    ],
)
def test_gold_outcomes_and_properties_of_the_task_are_kept_apart(
    name: str, gold: bool, outcome: bool, metadata: bool
) -> None:
    assert (is_gold(name), is_outcome(name), is_metadata(name)) == (gold, outcome, metadata)


def test_only_a_flag_of_success_is_a_pass_flag() -> None:
    assert [
        name for name in ("resolved", "info.passed", "is_refusal", "tests_passed", "valid_json") if is_pass_flag(name)
    ] == [
        "resolved",
        "info.passed",
    ]
