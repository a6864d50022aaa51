"""A bare value is no evidence by itself: what it says stands in the sentence already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.gym_rows import analysed, message, response, row, write

from blade import api
from blade.wording import worth_quoting


@pytest.mark.parametrize("quote", ["false", "True", "0", "1.0", "{}", "[]", '"null"', "", "…", "(none)", "1,024"])
def test_flags_numbers_and_empty_records_are_not_worth_quoting(quote: str) -> None:
    assert not worth_quoting(quote)


@pytest.mark.parametrize("quote", ["1981-05-26", "C", "no such table", "falsehood", "exit 1", "-" * 5000 + "a"])
def test_words_dates_and_letters_are(quote: str) -> None:
    assert worth_quoting(quote)


def test_a_report_quotes_no_failed_flag(tmp_path: Path) -> None:
    """Every row fails a check that is written as false; its name is told and the flag is not quoted."""
    rows = []
    for task in range(6):
        checks: dict[str, Any] = {"verifier": {"checks": {"balance": False, "tone": True}}}
        output = response(message(f"I moved the money of {task}."))
        rows.append(row(task, reward=0.0, response=output, expected_answer=None, extracted_answer=None, **checks))
    report = api.render(api.report(analysed(write(tmp_path / "a.jsonl", rows))), "markdown")
    assert "fails 'balance'" in report
    assert "> false" not in report
    assert "“false”" not in report
