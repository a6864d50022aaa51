from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.gym_rows import bare, message, request, response, row

from blade.extract import text
from blade.extract.attempt import Attempt
from blade.extract.error_claims import row_claims
from blade.extract.failure import failure
from blade.extract.fields import short_fields
from blade.extract.numbers import integer, number, score_of
from blade.extract.request import request_facts
from blade.extract.row import rollout_facts
from blade.extract.verdict import gold_facts, gold_fields

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(categories=["L", "Cs", "Cc"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(ANYTHING)
def test_a_number_is_finite_or_none(value: Any) -> None:
    made = number(value)
    assert made is None or abs(made) < float("inf")
    assert integer(value) is None or isinstance(integer(value), int)
    score, problem = score_of(value)
    assert (score is None) is (problem is not None)


@pytest.mark.parametrize("value", ["5", " 5 ", 5, 5.0, "05"])
def test_an_index_may_come_as_text(value: Any) -> None:
    assert integer(value) == 5


@pytest.mark.parametrize("value", ["--5", "5.0", "½", "٥", "", "-", True, 5.5, float("nan"), 2**62, [5], "1" * 30])
def test_what_is_no_index(value: Any) -> None:
    assert integer(value) is None


@given(st.text(st.sampled_from("ab \n\t\u2003"), max_size=60), st.integers(1, 7))
def test_folding_in_blocks_is_folding(given_text: str, block: int) -> None:
    kept, text.BLOCK = text.BLOCK, block
    try:
        assert text.squeeze(given_text) == " ".join(given_text.split())
    finally:
        text.BLOCK = kept


@given(ANYTHING)
def test_canonical_bytes_do_not_depend_on_the_order_of_keys(value: Any) -> None:
    one = text.canonical({"a": value, "b": 10**30, "c": "\ud800"})
    assert one == text.canonical({"c": "\ud800", "b": 10**30, "a": value})


@given(ANYTHING)
def test_any_value_in_any_place_gives_facts_that_can_be_written(value: Any) -> None:
    for name in ("response", "responses_create_params", "agent_ref", "error", "expected_answer", "metadata", "usage"):
        facts = rollout_facts(Attempt(row(0, **{name: value})))
        json.loads(facts["fields"])
        for column in ("model", "sampling", "agent", "gold", "text_head", "answer"):
            (facts.get(column) or "").encode()
        assert all(claim.encode() for claim in facts["signals"])


@given(ANYTHING)
def test_whatever_a_tool_answers_it_failed_or_it_did_not(value: Any) -> None:
    for key in ("status", "error", "exit_code", "output", "result", "success"):
        told = failure(json.dumps({key: value}))
        assert told is None or isinstance(told, str)


def test_system_prompt_and_settings_are_not_in_the_tasks_text() -> None:
    one = request_facts(bare(0, responses_create_params=request("Add.", instructions="Be brief.", temperature=0.0)))
    two = request_facts(bare(0, responses_create_params=request(" Add.\n", instructions="Be long.", temperature=1.0)))
    assert one["text_hash"] == two["text_hash"]
    assert (one["prompt_hash"] == two["prompt_hash"], one["sampling"] == two["sampling"]) == (False, False)


def test_the_seed_of_a_repeat_is_no_setting() -> None:
    seeds = [request("x", metadata={"extra_body": json.dumps({"seed": n, "top_k": 5})}) for n in range(2)]
    made = [request_facts(bare(0, responses_create_params=params)) for params in seeds]
    assert [facts["seed"] for facts in made] == [0, 1]
    assert made[0]["sampling"] == made[1]["sampling"]
    assert "top_k" in made[0]["sampling"]


def test_gold_is_the_same_however_it_is_spaced_and_ordered() -> None:
    one = gold_facts(gold_fields({"expected_answer": "a  b", "target": {"x": 1, "y": 2}}))
    two = gold_facts(gold_fields({"target": {"y": 2, "x": 1}, "expected_answer": "a b "}))
    assert one["gold_hash"] == two["gold_hash"]
    assert gold_facts(gold_fields({"expected_answer": None, "answer": ""})) == {"gold_hash": None, "gold": None}


def test_an_output_hash_covers_text_and_calls_and_no_ids() -> None:
    def hashed(call_id: str, arguments: str, said: str) -> Any:
        call = {"type": "function_call", "name": "f", "arguments": arguments, "call_id": call_id, "id": call_id}
        return rollout_facts(Attempt(row(0, response=response(call, message(said), id=call_id))))["output_hash"]

    assert hashed("a", '{"x": 1, "y": 2}', "hi") == hashed("b", '{"y":2,"x":1}', "hi")
    assert hashed("a", '{"x": 1}', "hi") != hashed("a", '{"x": 2}', "hi")
    assert hashed("a", "{}", "hi") != hashed("a", "{}", "ho")


def test_long_texts_and_wide_objects_are_no_short_fields() -> None:
    wide = {f"k{n}": n for n in range(60)}
    kept = short_fields({"a": "x" * 500, "b": wide, "c": {"d": {"e": {"f": {"g": 1}}}}, "h": [1], "i": 2})
    assert kept == {"i": 2}


@pytest.mark.parametrize(
    "fields",
    [
        {"turns_used": 3, "max_turns": 9}, {"exit_code": 1}, {"exit_code": 0}, {"agent_timed_out": False},
        {"evaluation_completed": True}, {"failure_reason": "none"}, {"error": None}, {"error_message": ""},
        {"judge_text": "The container of the joke failed."}, {"question": "What is HTTP 503?"},
        {"response": response(error={})}, {"response": response(status="completed")},
        {"response": response(id="not-failed-at-all")}, {"finished_naturally": True},
    ],
)  # fmt: skip
def test_rows_that_claim_no_trouble(fields: dict[str, Any]) -> None:
    made = row(0, 0, 0.0, **fields)
    assert row_claims(made, short_fields(made)) == []


def test_a_bar_in_a_name_does_not_break_a_claim() -> None:
    made = row(0) | {"a|b_error": "connection refused"}
    (claim,) = row_claims(made, short_fields(made))
    assert claim.split("|") == ["infrastructure", "soft", "a¦b_error", "connection refused"]
