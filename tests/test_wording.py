"""Numbers are worded so that they are never more than true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.wording import count, listed, percent, plain, points, printable, size, span


@given(st.floats(0, 1))
def test_a_rate_prints_as_nothing_or_all_only_if_it_is(value: float) -> None:
    text = percent(value)
    assert (text == "0.0%") == (value == 0)
    assert (text == "100.0%") == (value == 1)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.42, "42.0%"), (0.0001, "<0.1%"), (0.9999, ">99.9%"), (0.0, "0.0%"), (1.0, "100.0%"), (None, "unknown")],
)
def test_percentages(value: float | None, text: str) -> None:
    assert percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.2333, "+23.3 pp"), (-0.05, "−5.0 pp"), (0.0001, "0.0 pp"), (None, "unknown")]
)
def test_differences_are_points_with_a_sign(value: float | None, text: str) -> None:
    assert points(value) == text


def test_plain_numbers_keep_their_own_scale() -> None:
    assert plain(-100.0) == "−100"
    assert plain(None) == "unknown"
    assert span((-2.0, 3.5), "native") == "−2 to 3.5"
    assert span(None) == "unknown"


def test_words_agree_with_their_number() -> None:
    assert [count(many, "task") for many in (0, 1, 1204)] == ["0 tasks", "1 task", "1,204 tasks"]
    assert count(2, "entry", "entries") == "2 entries"
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert [size(many) for many in (12, 4_000, 3_000_000_000)] == ["12 B", "4.0 KB", "3.0 GB"]


@given(st.text())
def test_nothing_printed_can_steer_a_terminal(text: str) -> None:
    assert all(ord(char) >= 32 and char != "\x7f" for char in printable(text))
    assert "\x1b" not in printable(f"\x1b[31m{text}")
    assert "\u202e" not in printable(f"\u202e{text}")


def test_a_rounding_error_below_zero_is_zero() -> None:
    assert percent(-1.1e-16) == "0.0%"
