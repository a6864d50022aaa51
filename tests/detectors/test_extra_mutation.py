"""Changes beyond what was expected."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.extra_mutation import detect
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
        (attempt(UPDATE, MAIL, call("delete_order", {"order_id": "7"}, "gone"), ground_truth=GOLD), "delete_order"),
        (attempt(UPDATE, MAIL, MAIL, say("Done."), ground_truth=GOLD), "send_mail"),
        (attempt(call("cancel_trip", {"trip": 3}, "cancelled"), expected_actions=[]), "cancel_trip"),
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
        (attempt(UPDATE, MAIL, call("delete_order", {"order_id": "7"}, "Error: denied"), ground_truth=GOLD), CLEAN),
        (attempt(UPDATE, MAIL, call("get_order", {"order_id": "8"}, "none"), ground_truth=GOLD), CLEAN),
        (attempt(UPDATE, MAIL, call("transfer_to_human", {"why": "angry"}, "ok"), ground_truth=GOLD), CLEAN),
        (attempt(OTHER, MAIL, ground_truth=GOLD), CLEAN),
        (attempt(call("delete_order", {}, "ok"), OTHER, MAIL, ground_truth=GOLD), CLEAN),
        (attempt(UPDATE, MAIL, MAIL), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
