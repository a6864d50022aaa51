"""The declared types that calls fill, and the forms of the values, out of calls and out of messages."""

from __future__ import annotations

from typing import Any

import pytest
from tests.detectors.attempts import attempt, call, say, tool

from blade.extract.argument_types import argument_types, typed_values

KILN = tool("kiln.fire", heat="integer", slow="boolean", shelves="ArrayList", label="string", extra="any")
OFFER = {"tools": [KILN, tool("kiln.cool", hours="long")]}

LISTED = """[{"name": "kiln.fire", "arguments": {"heat": 900, "label": "a"}},
{"name": "kiln_cool", "arguments": {"hours": 2}}]"""


def record(*items: Any) -> Any:
    return argument_types(attempt(*items, responses_create_params=OFFER)).get("argument_types")


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("950", "number"),
        ("-1.5e3", "number"),
        ("950L", "suffixed"),
        ("'950'", "quoted number"),
        ("true", "true"),
        ("True", "True"),
        ('"True"', "quoted True"),
        ("[1, (2, 3), 'a,b)']", "list"),
        ("'[1, 2]'", "quoted list"),
        ("{'a': [1, 2]}", "object"),
        ("(1, 2)", "tuple"),
        ("shelf.names", "name"),
        ("'shelfNames'", "quoted name"),
        ("'top, middle'", "text"),
        ("new List(1, 2)", "expression"),
        ("'a' + 'b'", "expression"),
        ("null", "nothing"),
    ],
)
def test_a_value_in_a_message_has_the_form_in_which_it_is_written(written: str, form: str) -> None:
    assert record(say(f"[kiln.fire(extra={written}, heat=3)]")) == {"any": {form: 1}, "integer": {"number": 1}}


@pytest.mark.parametrize(
    "text",
    [
        "kiln.fire(heat=900, label='a (b')\nkiln.cool(hours=2)",
        "[kiln.fire(heat=900, label='a (b'), kiln.cool(hours=2)]",
        "```python\n[kiln.fire(heat=900, label='a (b'), kiln.cool(hours=2)]\n```",
        "['kiln.fire(heat=900, label=\\'a (b\\')', 'kiln.cool(hours=2)']",
        LISTED,
        f"```json\n{LISTED}\n```",
    ],
)
def test_calls_are_read_out_of_a_message_that_is_nothing_else(text: str) -> None:
    assert record(say(text)) == {"integer": {"number": 1}, "string": {"text": 1}, "long": {"number": 1}}


def test_calls_that_nothing_answers_are_read() -> None:
    arguments = {"heat": "900", "slow": True, "shelves": [1], "label": "7", "unknown": 1}
    expected = {
        "integer": {"quoted number": 1},
        "boolean": {"true": 1},
        "ArrayList": {"list": 1},
        "string": {"text": 1},
    }
    assert record(call("kiln_fire", arguments)) == expected
    assert record(call("kiln.fire", {"heat": 1}), call("kiln.fire", {"heat": 2})) == {"integer": {"number": 2}}


@pytest.mark.parametrize(
    "items",
    [
        (call("kiln.fire", {"heat": 900}, "hot"),),
        (say("I would call kiln.fire(heat=900) now."),),
        (say("oven.fire(heat=900)"),),
        (say("[kiln.fire()]"),),
        (say("[kiln.fire(900)]"),),
        (say("{not json}"),),
    ],
)
def test_what_is_answered_mentioned_or_unknown_is_no_call_to_judge(items: Any) -> None:
    assert record(*items) is None


def test_a_call_that_is_cut_and_rows_without_tools() -> None:
    assert record(say("[kiln.fire(heat=900, label='a")) == {"integer": {"number": 1}, "string": {"expression": 1}}
    assert argument_types(attempt(say("[kiln.fire(heat=900)]"))) == {}
    assert list(typed_values(attempt(say("[kiln.fire(heat=900)]")))) == []


def test_a_type_of_several_names_is_one() -> None:
    offer = {"tools": [tool("dye", shade={"type": ["string", "null"]}, depth={"enum": [1]})]}
    known = attempt(call("dye", {"shade": "red", "depth": 1}), responses_create_params=offer)
    assert argument_types(known) == {"argument_types": {"string or null": {"text": 1}}}
