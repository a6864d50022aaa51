"""What was given and what was expected in its place: out of a verifier's message, or beside the expected call."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import request, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.value_pairs import value_pair


def pair(*errors: Any, reward: float = 0.0) -> Any:
    return value_pair(Attempt(row(0, 0, reward, verifier={"error": list(errors)}))).get("value_pair")


@pytest.mark.parametrize(
    ("message", "record"),
    [
        (
            "Invalid value for parameter 'slope': 30.0. Expected one of ['', 0.3].",
            ["slope", "number", [["30", "0.3"]]],
        ),
        (
            "Invalid value for parameter 'corner': [4, 60]. Expected one of [[4, 0.6]].",
            ["corner", "number", [["60", "0.6"]]],
        ),
        (
            "Invalid value for parameter 'barn': 'the old  barn'. Expected one of ['barn', 'shed'].",
            ["barn", "text", [["the old barn", "barn"], ["the old barn", "shed"]]],
        ),
        (
            "Wrong result. Expected: 50.5, but got: 5.05. A tolerance of 1% was allowed.",
            ["", "number", [["5.05", "50.5"]]],
        ),
        ("Wrong number of tins. Expected 3, but got 2.", None),
        ("Expected: {'tins': 3}, but got: 4.", None),
        ("Invalid value for parameter 'shiny': True. Expected one of [False].", None),
        ("Invalid value for parameter 'tins': 3. Expected one of ['three'].", None),
        ("Invalid value for parameter 'tins': moss. Expected one of [green].", None),
        ("Missing parameter 'tins'.", None),
    ],
)
def test_the_value_that_a_message_refuses(message: str, record: Any) -> None:
    assert pair(message) == record


def test_the_first_message_counts_and_a_pass_has_none() -> None:
    first, second = (f"Invalid value for parameter 'tins': {given}. Expected one of [4]." for given in (5, 8))
    assert pair("The calls differ.", {"call 0": [first], "call 1": [second]}) == ["tins", "number", [["5", "4"]]]
    assert pair(first, reward=1.0) is None


def test_the_argument_that_differs_from_the_expected_call() -> None:
    made = row(
        0,
        0,
        0.0,
        expected_actions=[{"name": "set_price", "arguments": {"tin": "T1", "price": 12.5}}],
        expected_answer=None,
        extracted_answer=None,
    )
    made["response"]["output"] = called("set_price", {"tin": "T1", "price": 1250}, "done")
    assert value_pair(Attempt(made)) == {"value_pair": ["price", "number", [["1250", "12.5"]]]}


@pytest.mark.parametrize(
    ("asked", "given", "keys", "copied"),
    [
        ("Weigh the tins of Harbour Road, please.", "Harbour Road", ["HR-7", "HR7"], True),
        ("Weigh the tins of Harbour Road, please.", "Harbour Road", ["Harbour"], False),
        ("Weigh the tins of Harbour Road, please.", "harbour road", ["HR-7"], True),
        ("Weigh the tins of Harbour Roads, please.", "Harbour Road", ["HR-7"], False),
        ("Weigh it at D.", "D", ["Dock"], False),
        ("Weigh 40 tins.", 40, [0.4], False),
    ],
)
def test_a_refused_text_that_is_copied_from_the_request(asked: str, given: Any, keys: list[Any], copied: bool) -> None:
    made = row(
        0,
        0,
        0.0,
        responses_create_params=request(asked),
        verifier={"error": [f"Invalid value for parameter 'place': {given!r}. Expected one of {keys!r}."]},
    )
    assert value_pair(Attempt(made)).get("copied", False) is copied
