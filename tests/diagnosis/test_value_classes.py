"""How a wrong value differs from the right one, and whether that is more than chance."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.questions.made_cases import case

from blade.diagnosis.value_classes import (
    EQUAL,
    FEWER_WORDS,
    HUNDRED,
    MORE_WORDS,
    ONE_OFF,
    OTHER,
    POWER,
    ROUNDED,
    SIGN,
    TWICE,
    ValuePair,
    chance,
    class_of,
    number_of,
    value_pair_of,
)
from blade.extract.value_pairs import NUMBER, TEXT


@pytest.mark.parametrize(
    ("given", "right", "name"),
    [
        ("5", "0.05", HUNDRED),
        ("5%", "0.05", HUNDRED),
        ("0.375", "37.5", HUNDRED),
        ("1,200", "1.2", POWER),
        ("0.7", "7", POWER),
        ("3e6", "3", POWER),
        ("-12.5", "12.5", SIGN),
        ("-1200", "12", OTHER),
        ("3.14", "3.14159", ROUNDED),
        ("0.333", "1/3", ROUNDED),
        ("3.13", "3.14159", OTHER),
        ("1.2", "1.25", ROUNDED),
        ("1230", "1234", ROUNDED),
        ("600", "597", ROUNDED),
        ("600", "560", OTHER),
        ("1240", "1234", OTHER),
        ("40", "37", OTHER),
        ("100", "104", ROUNDED),
        ("110", "104", OTHER),
        ("8", "7", ONE_OFF),
        ("2", "3", OTHER),
        ("6.5", "7.5", OTHER),
        ("7", "14", TWICE),
        ("$3.50", "7", TWICE),
        ("0", "4", OTHER),
        ("31", "17", OTHER),
    ],
)
def test_how_a_number_differs(given: str, right: str, name: str) -> None:
    assert class_of(NUMBER, (given,), (right,)) == name


@pytest.mark.parametrize(
    ("given", "right", "name"),
    [
        ("the red barn in Ashford", "Red Barn", MORE_WORDS),
        ("barn", "barn, north side", FEWER_WORDS),
        ("red house barn", "red barn", OTHER),
        ("barns", "barn", OTHER),
        ("barn", "Barn", OTHER),
        ("a very long text that was cut …", "a very", OTHER),
    ],
)
def test_how_a_text_differs(given: str, right: str, name: str) -> None:
    assert class_of(TEXT, (given,), (right,)) == name


def test_of_several_right_values_the_one_counts_that_tells_most() -> None:
    assert class_of(NUMBER, ("60", "60"), ("31", "0.6")) == HUNDRED


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\\boxed{1,250.5}", Fraction(2501, 2)),
        ("42 tins", Fraction(42)),
        ("\\frac{3}{4}", Fraction(3, 4)),
        ("3/0", None),
        ("4 to 7", None),
        ("2031-05-06", None),
        ("five", None),
        ("9" * 100, None),
    ],
)
def test_what_is_read_as_one_number(text: str, value: Fraction | None) -> None:
    assert number_of(text) == value


def test_where_a_value_is_known() -> None:
    answer = {"text": "14", "key": ["7"], "meets": "", "kind": "number", "key_kind": "number"}
    assert getattr(value_pair_of(case(1, passed=False, observed={"answer": answer})), "differs", None) == TWICE
    met = {"answer": {**answer, "text": "7.0", "meets": "value"}}
    assert getattr(value_pair_of(case(1, passed=True, observed=met)), "differs", None) == EQUAL
    option = {"answer": {**answer, "letter": "B"}}
    assert value_pair_of(case(1, passed=False, observed=option)) is None
    either = {"answer": {**answer, "key": ["7", "seven"]}}
    assert value_pair_of(case(1, passed=False, observed=either)) is None
    tested = {"result": {"kind": "other", "got": "8", "expected": "9"}}
    assert getattr(value_pair_of(case(1, passed=False, observed=tested)), "differs", None) == ONE_OFF
    told_elsewhere = {"result": {"kind": "rounding", "got": "0.3333", "expected": "0.33333"}}
    assert value_pair_of(case(1, passed=False, observed=told_elsewhere)) is None
    compared = {"compared": [["3", "<", "4"], ["'a'", "==", "'b'"], ["8", "==", "9"]]}
    assert getattr(value_pair_of(case(1, passed=False, observed=compared)), "differs", None) == ONE_OFF


def _pairs(*values: tuple[str, str]) -> list[ValuePair]:
    return [
        ValuePair(case(task, passed=False), NUMBER, "answer", "", (given,), (right,))
        for task, (given, right) in enumerate(values)
    ]


def test_neighbours_among_few_small_numbers_are_chance_and_among_many_are_not() -> None:
    small = _pairs(*((str(3 + (key + step) % 5), str(3 + key % 5)) for key in range(10) for step in (1, 2, 3)))
    assert chance(small)[ONE_OFF] > 0.1
    large = _pairs(*((str(key + 1), str(key)) for key in range(20, 90, 10)))
    assert chance(large)[ONE_OFF] < 0.001


def test_a_value_that_a_task_repeats_counts_once() -> None:
    once = _pairs(("31", "30"), ("17", "50"), ("44", "70"), ("95", "90"))
    assert chance([once[0]] * 20 + once[1:]) == chance(once)
