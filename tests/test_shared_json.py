"""Rows that share parts are parsed to what a plain parse gives."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from blade.extract.attempt import Attempt
from blade.extract.row import rollout_facts
from blade.files.lines import parse
from blade.shared_json import MOST_BYTES, Repeats

TOOLS = [{"name": f"tool_{n}", "description": "Finds “things” by their name. " * 3, "parameters": {}} for n in range(9)]
REQUEST = {"input": [{"role": "user", "content": "Add."}], "tools": TOOLS}


def row(number: int, **more: Any) -> dict[str, Any]:
    response = {"id": f"r{number}", "output": [{"text": 'he said "tools": [1]'}], "tools": TOOLS, "usage": None}
    return {"responses_create_params": REQUEST, "response": response, "reward": number / 2} | more


def texts(rows: list[Any]) -> list[bytes]:
    return [*(orjson.dumps(one) for one in rows), *(json.dumps(one).encode() for one in rows)]


ODD: list[Any] = [
    {"_ng_task_index": 1, **row(1)},
    {"reward": 1.0, "responses_create_params": REQUEST},
    {**row(6), "note": 'he said "reward": 1, "x": [2]', "later": {"reward": 1, "response": {"reward": 2}}},
    {"responses_create_params": REQUEST, "response": {"reward": 1}, "x": 1, "reward": 2},
    {"responses_create_params": REQUEST, "response": {"tools": TOOLS, "output": []}},
    {"responses_create_params": REQUEST, "response": ["a, b", {"c": "d"}], "reward": -0.0, "e": "\u00e9", "f": 1e300},
    {"responses_create_params": REQUEST, "agent_ref": {"name": "a"}, "response": {"tools": []}},
    {"responses_create_params": {"tools": TOOLS, "input": []}, "response": {"output": [{"tools": TOOLS}]}},
    {"responses_create_params": {"response": {"tools": TOOLS}}, "response": {"tools": TOOLS}},
    {"judge": {"responses_create_params": REQUEST, "response": 1}, "responses_create_params": 2, "response": 3},
    {'x"responses_create_params': REQUEST, "response": {"tools": TOOLS}},
    {"responses_create_params": None, "response": None},
    {"responses_create_params": "text", "response": "text"},
    {"responses_create_params": [REQUEST], "response": [{"tools": TOOLS}]},
    [REQUEST, {"response": 1}],
    "responses_create_params",
]


def test_what_comes_out_is_what_a_plain_parse_gives() -> None:
    made = Repeats()
    for data in texts([row(1), row(2), *ODD, row(3), *ODD, row(4, response=None), row(5)]) * 2:
        assert orjson.dumps(made.loads(data)) == orjson.dumps(orjson.loads(data))


def test_a_key_that_is_written_twice_counts_as_it_does_anywhere() -> None:
    made = Repeats()
    whole = orjson.dumps(row(1))
    for data in (whole[:-1] + b',"responses_create_params":{"input":"b"}}', whole[:-1] + b',"response":{"tools":[]}}'):
        for _ in range(2):
            assert made.loads(data) == orjson.loads(data)


def test_a_key_that_is_written_twice_is_never_taken_for_one_that_is_written_once() -> None:
    whole = orjson.dumps(row(1, task="t", note="one, two: three"))
    texts_of_rows = (whole, whole.replace(b",", b", ").replace(b':"', b': "'))
    twice = [
        *(
            b'"reward":0.5',
            b'"note":"one, two:three"',
            b'"\\u006eote":"other"',
            b'"response":{"output":[]}',
            b'"task":"t"',
        ),
        b'"responses_create_params":{"input":[]}',
    ]
    for text in texts_of_rows:
        repeats = Repeats()
        repeats.loads(text)
        assert repeats.is_written_once(repeats.loads(text))
        for again in twice:
            for data in (text[:-1] + b"," + again + b"}", b"{" + again + b", " + text[1:]):
                parsed = repeats.loads(data)
                assert parsed == orjson.loads(data)
                assert not repeats.is_written_once(parsed)


def test_a_row_that_is_parsed_as_a_whole_is_not_known_to_write_its_keys_once() -> None:
    repeats = Repeats()
    text = orjson.dumps(row(1))
    repeats.loads(text)
    one = repeats.loads(text)
    assert repeats.is_written_once(one)
    other = repeats.loads(b'{"reward":1}')
    assert not repeats.is_written_once(other)
    assert not repeats.is_written_once(one)


def test_rows_with_the_same_request_share_it_and_what_is_worked_out_of_it() -> None:
    made = Repeats()
    one, two, other = (
        made.loads(orjson.dumps(given)) for given in (row(1), row(2), row(3, responses_create_params={}))
    )
    assert one["responses_create_params"] is two["responses_create_params"]
    assert one["responses_create_params"]["tools"] is one["response"]["tools"] is two["response"]["tools"]
    kept = made.once(one["responses_create_params"])
    assert kept is not None
    assert kept is made.once(two["responses_create_params"])
    assert kept is not made.once(other["responses_create_params"])
    assert made.once(dict(REQUEST)) is None


def test_only_so_many_requests_are_kept() -> None:
    made = Repeats()
    size = MOST_BYTES // 10
    for number in range(30):
        given = {"responses_create_params": {"input": f"{number}" + "x" * size}, "response": {}}
        parsed = made.loads(orjson.dumps(given))
        assert parsed == given
        assert made.once(parsed["responses_create_params"]) is not None
    assert made.held <= MOST_BYTES


@pytest.mark.parametrize(
    "data", [b'{"responses_create_params":{},"response":', b'{"responses_create_params":{"a":NaN},"response":1}']
)
def test_what_is_no_json_is_refused(data: bytes) -> None:
    for _ in range(2):
        with pytest.raises(orjson.JSONDecodeError):
            Repeats().loads(data)


def test_marks_are_found_in_a_request_that_was_seen_before_and_beside_it() -> None:
    plain, marked = {"input": "one"}, {"input": "two [REDACTED]"}
    rows = [
        ({"responses_create_params": plain, "response": {}}, False),
        ({"responses_create_params": plain, "response": {"id": "<redacted>"}}, True),
        ({"agent": "[redacted]", "responses_create_params": plain, "response": {}}, True),
        ({"responses_create_params": plain, "response": {"id": "<EMAIL_3>"}}, True),
        ({"responses_create_params": plain, "response": {}}, False),
        ({"responses_create_params": marked, "response": {}}, True),
    ]
    for _ in range(3):
        for given, expected in rows:
            data = orjson.dumps(given)
            assert rollout_facts(Attempt(parse(data).value), data)["redacted"] is expected
