"""What an error text speaks of. Most texts are ordinary failures and speak of nothing else."""

from __future__ import annotations

import pytest

from blade.extract.trouble import is_neutral, is_silent, says


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("This model's maximum context length is 32768 tokens", "truncated"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "truncated"),
        ("The maximum prompt length is 1000 but the request contains 1200", "truncated"),
        ("Range of input length should be [1, 1000]", "truncated"),
        ("max_turns reached", "truncated"),
        ("length", "truncated"),
        ("Error code: 429 - rate limit exceeded", "infrastructure"),
        ("HTTP 503 Service Unavailable", "infrastructure"),
        ("503", "infrastructure"),
        ("status_code=502", "infrastructure"),
        ("server said 504 Gateway Time-out", "infrastructure"),
        (
            "Error code: 520 - {'error': {'type': 'upstream_error', 'code': 'bad_response_status_code'}}",
            "infrastructure",
        ),
        ("HTTP 507", "infrastructure"),
        ("Provider returned error", "infrastructure"),
        ("unhandled errors in a TaskGroup (1 sub-exception)", "infrastructure"),
        ("insufficient_quota: you exceeded your current quota", "infrastructure"),
        ("sandbox could not be created", "infrastructure"),
        ("failed to pull the image", "infrastructure"),
        ("aiohttp.ClientConnectorError: Cannot connect to host", "infrastructure"),
        ("[Errno 111] Connection refused", "infrastructure"),
        ("container exited before it was ready", "infrastructure"),
        ("No space left on device", "infrastructure"),
        ("ray worker died", "infrastructure"),
        ("agent_installation_failed", "infrastructure"),
        ("Temporary failure resolving 'packages.example'", "infrastructure"),
        ("The agent timed out after 600 s", "timed_out"),
        ("verifier timed out", "verifier_error"),
        ("JSONDecodeError: Expecting value", "malformed"),
        ("model_output_invalid", "malformed"),
    ],
)
def test_texts_that_speak_of_trouble(text: str, status: str) -> None:
    assert says(text) == status


@pytest.mark.parametrize(
    "text",
    [
        "Wrong answer", "Wrong answer on test 2", "/opt/runner/rate_limit.cfg", "AssertionError",
        "AssertionError: expected 3, found 4",
        "Time Limit Exceeded", "TLE", "judge_evaluation_failed", "tool_name_mismatch", "argument_below_threshold",
        "execution_error", "KeyError: 'b'", "IndexError: list index out of range",
        "NameError: name 'x' is not defined", "TypeError: unsupported operand", "compile error in line 3",
        "The answer is 42, not 41", "2 of 5 tests failed", "expected 5 but got 3", "the patch does not apply",
        "ValueError: math domain error", "RecursionError: maximum recursion depth exceeded", "no such table: orders",
        "SyntaxError: unexpected EOF", "TimeoutError", "subprocess.TimeoutExpired", "incorrect", "",
        "AssertionError: expected 500, found 400", "429 rows expected", "the image is not similar enough: check failed",
        "KeyError: 'container' not found in the answer", "unreachable code in line 4", "node not found: A",
        "the environment returned 0: task failed", "DNS record wrong", "over quota by 3 apples",
        "BadRequestError: Provider returned error", "Error code: 400 - Provider returned error", "error 520",
        "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  ValueError: no ink",
        "refused to answer", "ZeroDivisionError: division by zero",
    ],
)  # fmt: skip
def test_ordinary_failures_speak_of_none(text: str) -> None:
    assert says(text) is None


def test_the_ends_of_a_long_text_are_read_and_its_middle_is_not() -> None:
    assert says("x" * 5000 + " connection refused") == "infrastructure"
    assert says("x" * 2000 + " connection refused " + "x" * 2000) is None


@pytest.mark.parametrize("text", ["none", " None ", "FAILED", "error", "ok", "", "tool_calls", "wrong"])
def test_values_that_say_no_more_than_that_it_failed(text: str) -> None:
    assert is_neutral(text)


@pytest.mark.parametrize("text", ["failed", "error", "overloaded", "x"])
def test_a_word_for_failing_is_not_silence(text: str) -> None:
    assert not is_silent(text)
