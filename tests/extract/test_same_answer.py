"""When two answers are one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.extract.same_answer import normal, same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Paris.", "**paris**"),
        (r"\(\frac{3}{7}\)", "3/7"),
        (r"$\sqrt{2}$", r"\sqrt{2}"),
        ("1,234.50", "1234.5"),
        (12, "12.0"),
        ("12 cm", "12"),
        ("30%", "30"),
        ("5 m/s^2", "5"),
        ("(C)", "c"),
        (r"\text{B}", "B"),
        ("x = 5", "5"),
        ("[1, 2]", "[1,2]"),
        ('["a", "b"]', "[a, b]"),
        ("606‑10", "606-10"),
    ],
)
def test_these_are_the_same(one: Any, other: Any) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 cm", "12 m"),
        ("5x", "5"),
        ("5 or 6", "5"),
        ("5 to 6", "5"),
        ("2 pi", "2"),
        ("007", "7"),
        ("[2, 1]", "[1, 2]"),
        ("-5", "5"),
        ("", ""),
        (None, "none"),
        ("1/2", "0.5"),
    ],
)
def test_these_are_not(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)


@given(st.text("abcXYZ0123456789 ", max_size=40))
def test_what_is_normal_stays_so(text: str) -> None:
    assert normal(normal(text)) == normal(text)
