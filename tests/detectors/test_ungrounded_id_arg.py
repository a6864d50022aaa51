"""Identifiers that nobody gave."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, user

from blade.detectors.ungrounded_id_arg import detect
from blade.findings import State

CANCEL = call("cancel_order", {"order_id": "A-4411"}, "cancelled")
NESTED = call("merge_items", {"items": [{"itemId": 90210}]}, "merged")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(CANCEL, prompt="Cancel my order."), "cancel_order.order_id"),
        (attempt(NESTED, prompt="Merge them."), "merge_items.items.0.itemId"),
        (attempt(user("In 28236."), call("get", {"user_id": "ann_of_the_house_28236"}, "here")), "get.user_id"),
        (attempt(call("find_orders", {}, "none"), call("get_order", {"uuid": "zz-99"}, "Error: no")), "get_order.uuid"),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(CANCEL, prompt="Cancel order a-4411."), CLEAN),
        (attempt(call("list_orders", {}, [{"id": "A-4411"}]), CANCEL, prompt="Cancel my order."), CLEAN),
        (attempt(say("Which one?"), user("It is A-4411."), CANCEL), CLEAN),
        (attempt(user("It is 950212."), user("I forgot the W."), call("get", {"id": "#W950212"}, "here")), CLEAN),
        (attempt(call("create_order", {"order_id": "N-1000"}, "made")), NOT_APPLICABLE),
        (attempt(call("cancel_order", {"order_id": "7"}, "ok")), NOT_APPLICABLE),
        (attempt(call("greet", {"name": "Ann2024"}, "ok")), NOT_APPLICABLE),
        (attempt(CANCEL, prompt=""), NOT_APPLICABLE),
        (
            attempt(
                call("get_order", {"order_id": "X-1111"}, "Error: not found"),
                call("get_order", {"order_id": "A-4411"}, "here it is"),
                prompt="About A-4411.",
            ),
            GUARDED,
        ),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


@pytest.mark.parametrize(
    ("answers", "named"),
    [
        (("fine", "fine", "fine"), "X-1111"),
        (("fine", "Error: no such record", "fine"), "Y-2222"),
        (("Error: no such record", "fine", "Error: no such record"), "X-1111"),
    ],
)
def test_of_several_one_in_a_call_that_failed_for_good_is_named(answers: tuple[str, str, str], named: str) -> None:
    tools, ids = ("get_order", "get_invoice", "get_user"), ("X-1111", "Y-2222", "X-1111")
    calls = zip(tools, ids, answers, strict=True)
    seen = detect(attempt(*(call(tool, {"order_id": value}, answer) for tool, value, answer in calls)))
    assert (seen.state, named in seen.detail) == (FIRED, True)
