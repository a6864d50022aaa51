"""A decimal comma is a decimal point, and lists may have commas or semicolons between their entries."""

from __future__ import annotations

import pytest

from blade.extract.equivalent import LAYOUT, WRITING, equivalent


@pytest.mark.parametrize(
    ("answer", "key", "how"),
    [
        ("16,2 %", "16.2 %", WRITING),
        ("3,14 m", "3.14 m", WRITING),
        ("-0,5", "-0.5", WRITING),
        ("6981 guests", "6,981 guests", WRITING),
        ("6981 guests", "6,981 rooms", ""),
        ("1,234", "1.234", ""),
        ("16, 2", "16.2", ""),
        ("Ann Lee; Bo Strand", "Ann Lee, Bo Strand", LAYOUT),
        ("Bo Strand; Ann Lee", "Ann Lee, Bo Strand", ""),
        ("1;234", "1,234", ""),
    ],
)
def test_marks_between_digits_and_names_are_writing(answer: str, key: str, how: str) -> None:
    assert equivalent(answer, key) == how
    assert equivalent(key, answer) == how
