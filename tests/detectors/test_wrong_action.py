"""Calls that differ from what was expected."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.wrong_action import detect
from blade.findings import State

FIRST = {"name": "update_order", "arguments": {"order_id": "7", "note": {"text": "soon", "tags": ["a", "b"]}}}
SECOND = {"name": "send_mail", "arguments": '{"to": "ann@shop.test", "copies": 1}'}
GOLD = [{"name": "get_order", "arguments": {"order_id": "7"}}, FIRST, SECOND]
UPDATE = call("update_order", FIRST["arguments"], "updated")
MAIL = call("send_mail", {"copies": 1.0, "to": "ann@shop.test"}, "sent")
OTHER = call("update_order", {"order_id": "7", "note": {"text": "soon", "tags": ["a", "c"]}}, "updated")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(OTHER, MAIL, say("Done."), ground_truth=GOLD), "update_order.note.tags.1"),
        (attempt(UPDATE, call("send_mail", {"to": "bob", "copies": 1}, "ok"), ground_truth=GOLD), "send_mail.to"),
        (attempt(UPDATE, call("delete_order", {"order_id": "7"}, "ok"), ground_truth=GOLD), "send_mail → delete_order"),
        (attempt(call("delete_order", {}, "ok"), OTHER, MAIL, ground_truth=GOLD), "update_order.note.tags.1"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(UPDATE, MAIL, ground_truth=GOLD), CLEAN),
        (attempt(MAIL, call("get_order", {"order_id": "9"}, "none"), UPDATE, ground_truth=GOLD), CLEAN),
        (attempt(call("send_mail", {"to": "x"}, "Error: no"), MAIL, UPDATE, ground_truth=GOLD), CLEAN),
        (attempt(UPDATE, ground_truth=GOLD), CLEAN),
        (attempt(MAIL, call("update_order", {"order_id": "8"}, "Error: no"), ground_truth=GOLD), CLEAN),
        (attempt(UPDATE, MAIL, MAIL, ground_truth=GOLD), CLEAN),
        (attempt(OTHER, MAIL), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


def test_it_says_both_values_and_quotes_them() -> None:
    made = attempt(UPDATE, call("send_mail", {"to": "bob@shop.test", "copies": 1}, "ok"), ground_truth=GOLD)
    seen = detect(made)
    assert seen.detail == "calls 'send_mail' with to 'bob@shop.test', expected 'ann@shop.test'"
    assert [cite.quote for cite in seen.cites] == ["bob@shop.test", "ann@shop.test"]
    assert seen.cites[1].field == "row.ground_truth.2.arguments"


def test_a_reference_that_only_the_inputs_hold_is_compared_and_not_quoted() -> None:
    made = Attempt(attempt(OTHER, MAIL).row, inputs={"ground_truth": GOLD})
    seen = detect(made)
    assert seen.state is FIRED
    assert [cite.quote for cite in seen.cites] == ["c"]
