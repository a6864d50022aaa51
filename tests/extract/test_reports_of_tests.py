"""What tests say of the work is the answer of a call that went well."""

from __future__ import annotations

import pytest

from blade.extract.failure import failure


@pytest.mark.parametrize(
    "text",
    ["Failed 3/3 Test Cases. Please try again.", "Failed Test Case: assert add(1, 2) == 4", "failed 2 of 5 tests"],
)
def test_a_report_of_tests_is_no_failed_call(text: str) -> None:
    assert failure(text) is None


@pytest.mark.parametrize("text", ["Failed to open the file", "failed: no such record", "Error: 3 test cases failed"])
def test_other_failures_still_are(text: str) -> None:
    assert failure(text) is not None
