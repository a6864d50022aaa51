"""Expected actions that were never made."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say

from blade.detectors.missing_action import detect
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
        (attempt(UPDATE, say("All done."), ground_truth=GOLD), "send_mail"),
        (attempt(MAIL, expected_actions=GOLD), "update_order"),
        (attempt(say("I would rather not."), verifier={"expected_actions": [FIRST]}), "update_order"),
        (attempt(call("update_order", {"order_id": "8"}, "Error: no"), expected_actions=GOLD), "update_order"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(UPDATE, MAIL, say("Done."), ground_truth=GOLD), CLEAN),
        (attempt(OTHER, say("Done."), ground_truth=GOLD), CLEAN),
        (attempt(say("Here it is."), ground_truth=GOLD[:1]), CLEAN),
        (attempt(say("Nothing to do."), expected_actions=[]), CLEAN),
        (attempt(say("Done.")), NOT_APPLICABLE),
        (attempt(ground_truth=GOLD), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


def test_a_call_that_was_rejected_is_told_beside_the_action_it_was_meant_for() -> None:
    made = attempt(MAIL, call("update_order", {"order_id": "8"}, "Error: no"), verifier={"expected_actions": GOLD})
    seen = detect(made)
    assert seen.detail == (
        "never makes the expected call of 'update_order' (action 2 of 3): "
        "it is tried with order_id '8' and rejected, expected '7'"
    )
    assert proved(made, seen)
    assert seen.cites[-1].quote == "8"


def test_a_rejected_try_of_an_action_that_was_made_in_the_end_is_told_beside_no_other() -> None:
    gold = [{"name": "book", "arguments": {"seat": seat, "name": name}} for seat, name in (("1", "Ann"), ("1", "Bob"))]
    tries = (
        call("book", {"seat": "1", "name": "Ann", "bags": 1}, "Error: no"),
        call("book", gold[0]["arguments"], "ok"),
    )
    made = attempt(*tries, say("Done."), verifier={"expected_actions": gold})
    assert detect(made).detail == "never makes the expected call of 'book' (action 2 of 2)"
    other = attempt(
        tries[1], call("book", {"seat": "1", "name": "Rob"}, "Error: no"), verifier={"expected_actions": gold}
    )
    assert "it is tried with name 'Rob' and rejected, expected 'Bob'" in detect(other).detail
