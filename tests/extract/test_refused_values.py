"""What a verifier says of one named value, held against the request."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, message, request, response, row

from blade.extract.attempt import Attempt
from blade.extract.refused_values import refused_value

TOOL = {
    "name": "order_paint",
    "parameters": {
        "type": "object",
        "properties": {
            "shade": {"type": "string", "description": "The shade."},
            "gloss": {"type": "number", "description": "How much it shines."},
            "share": {"type": "number", "description": "As a decimal fraction."},
            "coat": {"type": "string", "description": "The coat, e.g. 'first coat'."},
            "litres": {"type": "integer"},
        },
    },
}
ASKED = "Order 12 litres of paint for the Barn wall, shade pale moss, with a gloss of 30%."


def refused(*errors: Any, asked: str = ASKED, answer: str = "order_paint()", reward: float = 0.0, **key: Any) -> Any:
    fields: Json = {"verifier": {"error": list(errors), "wanted": key}}
    made = row(0, 0, reward, response=response(message(answer)), responses_create_params=request(asked), **fields)
    made["responses_create_params"]["tools"] = [TOOL]
    return refused_value(Attempt(made)).get("refused")


def test_one_value_written_down_twice_is_refused_by_the_verifier_alone() -> None:
    same = "Wrong result. Expected: {'tins': 3}, but got: {'tins': 3}. The type must be a number."
    assert refused(same) == ["equal", "", "{'tins': 3}", "{'tins': 3}"]
    assert refused("Expected: {'tins': 3}, but got: {'tins': 31}.") is None
    assert refused(same, reward=1.0) is None, "what passes was not refused"


def test_a_whole_number_is_no_other_number_than_one_with_a_point() -> None:
    words = "Wrong type for parameter 'sizes'. Expected type array of float, got array. Parameter value: [2, 4]."
    assert refused(words) == ["equal", "sizes", "array of float", "[2, 4]"]
    assert refused("Invalid value for parameter 'gloss': 3. Expected one of [3.0].") == ["equal", "gloss", "[3.0]", "3"]


def test_the_request_holds_the_refused_value_and_nowhere_the_wanted_one() -> None:
    words = "Invalid value for parameter 'shade': 'pale moss'. Expected one of ['pale mosses']. Case insensitive."
    assert refused(words) == ["not_given", "shade", "['pale mosses']", "'pale moss'"]
    assert refused(words.replace("pale mosses", "barn wall")) is None, "the request has the wanted value as well"
    assert refused(words.replace("'pale moss'.", "'dark moss'.")) is None, "the model made its value up"
    for name in ("Barn.moss", "paleMoss", "wall_shade"):
        assert refused(words.replace("pale mosses", name)) is None, "a name of words that the request has one by one"
    for name in ("Barn.lichen", "mosses", "pale/mosses"):
        assert refused(words.replace("pale mosses", name)) == ["not_given", "shade", f"['{name}']", "'pale moss'"]


@pytest.mark.parametrize(("name", "kind"), [("gloss", "not_given"), ("share", None)])
def test_a_share_is_written_as_the_tool_describes_it(name: str, kind: str | None) -> None:
    verdict = refused(f"Invalid value for parameter '{name}': 30. Expected one of [0.3].")
    assert (verdict and verdict[0]) == kind


def test_a_form_that_the_description_shows_and_a_code_are_not_for_the_request_to_say() -> None:
    asked = "Order the base paint in British pounds."
    assert refused("Invalid value for parameter 'coat': 'base'. Expected one of ['base coat'].", asked=asked) is None
    assert (
        refused("Invalid value for parameter 'shade': 'British pounds'. Expected one of ['GBP'].", asked=asked) is None
    )
    assert refused("Invalid value for parameter 'litres': 12. Expected one of [11].") is None, "another number"


def test_what_is_left_out_stands_in_the_request_or_nowhere() -> None:
    words = "Parameter 'wall' not provided."
    assert refused(words, wall=["Barn wall"]) == ["left_out", "wall", "Barn wall", ""]
    assert refused(words, wall=["South wall", ""]) == ["not_given", "wall", "South wall", ""]
    assert refused("Parameter 'gloss' is missing.", gloss=[0.3]) == ["left_out", "gloss", "0.3", ""]
    assert refused(words, wall=[True]) is None, "a flag is not said word for word"
    assert refused(words) is None, "nobody knows what was wanted"


def test_a_text_where_the_tool_declares_a_number() -> None:
    words = "Incorrect type for parameter 'litres'. Expected type integer, got str. Parameter value: '12'."
    assert refused(words, answer="order_paint(litres='12')") == ["wrong_type", "litres", "integer", "'12'"]
    assert refused(words, answer="order_paint(litres=12)") is None, "the verifier misread it"
