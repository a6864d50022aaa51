"""What was done beside what was expected."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.detectors.attempts import attempt, call

from blade.extract.against_reference import difference, plain
from blade.extract.json_spans import leaves, value_span
from blade.extract.text import canonical

A, B, C = (("book_seat", {"seat": n}) for n in (1, 2, 3))
SWAP = ("swap_seats", {"of": ["A-100", "B-200"], "to": ["D-444", "C-333"]})


def kind(made: list[tuple[str, Any]], expected: list[tuple[str, Any]]) -> tuple[str, int | None] | None:
    items = [call(name, arguments, "ok", f"c{place}") for place, (name, arguments) in enumerate(made)]
    gold = [{"name": name, "arguments": arguments} for name, arguments in expected]
    found = attempt(*items, expected_actions=gold).deviation
    return (found.kind, found.index) if found else None


@pytest.mark.parametrize(
    ("made", "expected", "found"),
    [
        ([A, B], [A, B], None),
        ([B, A], [A, B], None),
        ([A], [A, B], ("missing", 1)),
        ([B], [A, B], ("missing", 0)),
        ([], [A], ("missing", 0)),
        ([("swap_seats", {"to": ["D-444", "C-333"], "of": ["B-200", "A-100"]})], [SWAP], ("wrong_argument", 0)),
        ([("swap_seats", {"to": ["C-333", "D-444"], "of": ["B-200", "A-100"]})], [SWAP], None),
        ([A, B], [A], ("extra", None)),
        ([A], [], ("extra", None)),
        ([A, C], [A, B], ("wrong_argument", 1)),
        ([A, ("drop_seat", {"seat": 2})], [A, B], ("wrong_tool", 1)),
        ([("get_seat", {}), A], [("get_seat", {"seat": 1}), A], None),
        ([("frobnicate", {"a": 1})], [("frobnicate", {"a": 2})], ("wrong_argument", 0)),
        ([("frobnicate", {"a": 1}), A], [A], None),
        (
            [("book_meal", {"seat": 2, "dish": "soup"})],
            [("book_meal", {"seat": 9, "dish": "fish"}), ("book_meal", {"seat": 2, "dish": "stew"})],
            ("wrong_argument", 1),  # the second differs in the dish alone
        ),
    ],
)
def test_the_first_difference(made: list[Any], expected: list[Any], found: tuple[str, int | None] | None) -> None:
    assert kind(made, expected) == found


def test_a_call_that_was_written_twice_is_one_call() -> None:
    made = attempt(call("book_seat", {"seat": 1}), call("book_seat", {}, "ok"), expected_actions=[])
    assert made.deviation is not None
    assert made.deviation.call is made.calls[0]
    right = attempt(
        call("book_seat", {"seat": 1}),
        call("book_seat", {}, "ok"),
        expected_actions=[{"name": "book_seat", "kwargs": {"seat": 1}}],
    )
    assert right.deviation is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(one=VALUES, other=VALUES)
def test_a_difference_is_found_where_there_is_one(one: Any, other: Any) -> None:
    first, second = plain(one), plain(other)
    _, made, expected = difference(first, second)
    assert (canonical(made) == canonical(expected)) is (canonical(first) == canonical(second)) or first == second


@given(value=VALUES)
def test_every_value_is_found_in_the_text_of_its_json(value: Any) -> None:
    text = canonical(value).decode()
    for path, leaf in leaves(value):
        span = value_span(text, path)
        assert span is not None
        start, end = span
        assert canonical(leaf).decode().strip('"') == text[start:end].strip('"')


@pytest.mark.parametrize("text", ["", "{", '{"a"', '{"a": [', "[1]", '{"b": 1}', "no"])
def test_what_is_not_there_is_not_found(text: str) -> None:
    assert value_span(text, ("a", 0)) is None
