from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade.stats.predicates import least_support, predicates

if TYPE_CHECKING:
    from blade.stats.predicates import Value


def supports(values: Sequence[Value]) -> dict[str, int]:
    found = predicates([{"f": value} for value in values])
    return dict(zip(found.names, found.members.sum(axis=0).tolist(), strict=True))


@pytest.mark.parametrize(("tasks", "least"), [(0, 10), (100, 10), (500, 10), (501, 11), (1000, 20)])
def test_a_predicate_needs_ten_tasks_or_two_percent(tasks: int, least: int) -> None:
    assert least_support(tasks) == least


def test_each_frequent_level_is_a_predicate_and_rare_ones_are_pooled() -> None:
    values = ["math"] * 30 + ["code"] * 40 + ["law"] * 6 + ["art"] * 5
    assert supports(values) == {"f=math": 30, "f=code": 40, "f=other": 11}


def test_a_level_called_other_joins_the_rare_ones() -> None:
    values = ["math"] * 30 + ["other"] * 15 + ["law"] * 3
    assert supports(values) == {"f=math": 30, "f=other": 18}


def test_missing_is_a_level_of_its_own() -> None:
    values = ["math"] * 30 + [None] * 12 + [math.nan] * 3
    assert supports(values) == {"f=math": 30, "f is missing": 15}
    assert predicates([{"f": "math"}] * 30 + [{}] * 15).names == ("f is missing", "f=math")


def test_numbers_give_quartile_bins_and_halves() -> None:
    values = [float(number) for number in range(1, 101)]
    quarters = {"f<=25": 25, "25<f<=50": 25, "50<f<=75": 25, "f>75": 25}
    assert supports(values) == quarters | {"f<=50": 50, "f>50": 50}


def test_quartiles_that_coincide_merge() -> None:
    values = [0] * 60 + list(range(1, 41))
    assert supports(values) == {"f<=0": 60, "f>0": 40, "0<f<=15": 15, "f>15": 25}


def test_tasks_without_the_number_are_in_no_bin() -> None:
    values = [*range(40), *[None] * 20]
    assert supports(values) == {
        "f<=9": 10,
        "9<f<=19": 10,
        "19<f<=29": 10,
        "f>29": 10,
        "f<=19": 20,
        "f>19": 20,
        "f is missing": 20,
    }


def test_each_tag_is_a_predicate() -> None:
    values = [["a", "b"]] * 20 + [["b"]] * 15 + [[]] * 10 + [["c", "c"]] * 5
    assert supports(values) == {"f=a": 20, "f=b": 35, "f is missing": 10}


def test_booleans_are_levels_and_mixed_numbers_are_too() -> None:
    assert supports([True] * 10 + [False] * 10) == {"f=true": 10, "f=false": 10}
    assert supports([1] * 10 + ["one"] * 10) == {"f=1": 10, "f=one": 10}


def test_ids_and_free_text_are_left_out() -> None:
    assert supports([f"id {number}" for number in range(200)]) == {}
    assert supports([f"level {number % 51}" for number in range(2000)]) == {}
    assert len(supports([f"level {number % 50}" for number in range(2000)])) == 50


@pytest.mark.parametrize("values", [[], ["a"] * 5, ["a"] * 100, [3.0] * 100, [None] * 100, ["a"] * 95 + ["b"] * 5])
def test_what_does_not_divide_the_tasks_gives_nothing(values: list[Value]) -> None:
    found = predicates([{"f": value} for value in values])
    assert found.names == ()
    assert found.members.shape == (len(values), 0)


fields = st.fixed_dictionaries(
    {
        "a": st.sampled_from(["x", "y", "z", None]),
        "n": st.integers(0, 9) | st.none(),
        "t": st.lists(st.sampled_from("pq")),
    }
)


@examples(25)
@given(st.lists(fields, min_size=20, max_size=80), st.randoms(use_true_random=False))
def test_predicates_do_not_depend_on_the_order_of_tasks(tasks: list[dict[str, Value]], rng: random.Random) -> None:
    order = rng.sample(range(len(tasks)), len(tasks))
    one, other = predicates(tasks), predicates([tasks[index] for index in order])
    assert one.names == other.names
    assert (one.members[order] == other.members).all()
