"""Numbers are found by value in what tools say, texts by their words, and small ones are not looked for."""

from __future__ import annotations

import pytest

from blade.extract.sought_values import declines, sought


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("43643", "2016 | 43,643 | 48"),
        ("43,643 tonnes", "2016,43643,48"),
        ("1397", "about 1\u202f397 m long"),
        ("88.8 km", "it is 88.80km"),
        ("71,1 km", "71.1 km"),
        ("653", "pages: 653."),
        ("Zdenka Aldington", "founded by zdenka  aldington in"),
    ],
)
def test_a_value_is_found_in_its_usual_writings(value: str, text: str) -> None:
    found = sought(value)
    assert found is not None
    assert found.stands_in(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("43643", "143,643 and 43,643,000 and 43643.5"),
        ("653", "1,653 or 6530 or v653"),
        ("Aldington", "aldingtons"),
        ("88.8 km", "188.8"),
    ],
)
def test_a_part_of_another_value_is_not_it(value: str, text: str) -> None:
    found = sought(value)
    assert found is not None
    assert not found.stands_in(text)


@pytest.mark.parametrize("value", ["", "7", "Yes", "no.", "B", "about 231,000", "134 thousand", "x" * 200])
def test_what_is_small_or_rounded_is_not_looked_for(value: str) -> None:
    assert sought(value) is None


def test_another_writing_of_a_date_may_tell_it() -> None:
    date = sought("1983-04-26")
    assert date is not None
    assert date.is_told_by("on 26 april 1983, chapter 4")
    assert not date.is_told_by("on 26 april 1984")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("Could not be found", True), ("unknown", True), ("", True), ("168.8", False), ("Oslo", False)],
)
def test_answers_that_decline(answer: str, expected: bool) -> None:
    assert declines(answer) is expected
