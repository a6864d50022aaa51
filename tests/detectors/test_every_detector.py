"""Promises that every detector keeps."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.detectors.attempts import attempt, call, proved, say, think, tool, user
from tests.examples import examples

from blade.detectors import ACTORS, LETTERS, examine
from blade.extract.attempt import Attempt
from blade.extract.needs import NEEDS
from blade.findings import State
from blade.registry import plugins

ALL = plugins("detectors")
FAMILIES = {"pipeline", "infrastructure", "verifier", "data", "tool", "behaviour", "knowledge"}
KINDS = {"format", "knowledge", "behaviour", "verifier", "infrastructure", "data", "unknown"}
LABELS = {"KG", "UK", "BI", "TI", "IR", "DA"}


@pytest.mark.parametrize("name", ALL)
def test_it_says_what_it_is(name: str) -> None:
    module = ALL[name]
    assert re.fullmatch(r"[PIVDTBK]\d\d|", module.ID)
    assert module.FAMILY in FAMILIES
    assert module.KIND in KINDS
    assert set(module.SUPPORTS) <= LABELS
    assert 0 <= module.EXPLAINS <= 100
    assert 0 < module.RELIABILITY <= 1
    assert module.READS
    assert set(module.READS) <= set(ACTORS)
    assert getattr(module, "NEEDS", "calls") in NEEDS
    assert module.TITLE.strip(". ") == module.TITLE
    assert "False alarms:" in (module.__doc__ or ""), "the docstring must say when it is wrong to fire"


def test_no_two_share_a_number_or_a_title() -> None:
    numbers = [module.ID for module in ALL.values() if module.ID]
    titles = [module.TITLE for module in ALL.values()]
    assert len(numbers) == len(set(numbers))
    assert len(titles) == len(set(titles))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
ANYTHING: list[Any] = [{}, [1, "a"], {"a": {"b": 1}}]
VALUES: st.SearchStrategy[Any] = st.one_of(SCALARS, st.sampled_from(ANYTHING))
ITEMS = st.one_of(
    st.builds(say, st.text(max_size=60)),
    st.builds(think, st.text(max_size=60)),
    st.builds(user, st.text(max_size=60)),
    st.builds(call, st.sampled_from(["book", "look", ""]), VALUES, VALUES),
    st.just({"type": "function_call"}),
    st.just({"type": "function_call_output", "output": None}),
    st.just(7),
)
FIELDS = st.dictionaries(
    st.sampled_from(
        [
            "expected_answer",
            "extracted_answer",
            "error",
            "verifier",
            "ground_truth",
            "truncated",
            "max_turns",
            "resolved",
        ]
    ),
    VALUES | st.just([{"name": "book", "arguments": "{}"}]) | st.dictionaries(st.text(max_size=5), VALUES, max_size=2),
    max_size=4,
)


@examples(60)
@given(items=st.lists(ITEMS, max_size=6), fields=FIELDS, reward=VALUES, offered=st.booleans())
def test_no_row_makes_one_crash_and_every_cite_stands(
    items: list[Any], fields: dict[str, Any], reward: Any, offered: bool
) -> None:
    made = attempt(*items, reward=reward, tools=[tool("book", seat="integer")] if offered else (), **fields)
    again = attempt(*items, reward=reward, tools=[tool("book", seat="integer")] if offered else (), **fields)
    asked = "".join(LETTERS[module.detect(again).state] for module in ALL.values())
    assert examine(made)[0]["detectors"] == asked, "a rule that is not asked would have said the same"
    for name, module in ALL.items():
        check(name, module, made)


@pytest.mark.parametrize(
    "row", [{}, {"response": None}, {"response": []}, {"response": {"output": "x"}}, {"responses_create_params": 3}]
)
def test_rows_of_no_shape_are_taken(row: dict[str, Any]) -> None:
    for name, module in ALL.items():
        check(name, module, Attempt(row))


def check(name: str, module: ModuleType, made: Attempt) -> None:
    seen = module.detect(made)
    assert proved(made, seen), name
    if seen.state in {State.FIRED, State.GUARDED}:
        assert seen.detail, name
        assert not seen.detail.endswith("."), name
    assert bool(seen.guard) == (seen.state is State.GUARDED), name
