"""What a rollout saw of the values that its expected changes name, and where the model denies what its tools do."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json
from tests.questions.made_cases import called, said, task_row, user

from blade.extract.against_reference import action_digest
from blade.extract.attempt import Attempt
from blade.extract.circumstances import identifiers
from blade.extract.denials import denial
from blade.extract.lookups import CONDITIONAL, lookups

KEY = [
    {"name": "get_order", "arguments": {"order_id": "#W1000"}},
    {"name": "return_items", "arguments": {"order_id": "#W1000", "item_ids": ["7001"], "card": "card_9"}},
    {"name": "cancel_order", "arguments": {"order_id": "#W2000"}},
]
INSTRUCTION = "You want to return the lamp of your first order and to cancel the second one."


def attempt_of(*parts: list[Json], **fields: Any) -> Attempt:
    verifier = {"expected_actions": KEY}
    told = {"user_instruction": INSTRUCTION}
    return Attempt(task_row(0, *parts, passed=False, verifier=verifier, metadata=told, **fields))


def test_each_value_of_an_expected_change_is_opened_shown_heard_or_unseen() -> None:
    read = called("get_order", {"order_id": "#W1000"}, {"items": [{"item_id": "7001"}]})
    record = lookups(attempt_of(read, user("It is card_9, and cancel the other one."), said("Done.")))
    assert record["key_values"] == [
        ["#W1000", "opened", "get_order", 1],
        ["7001", "shown", "get_order", 0],
        ["card_9", "heard", "", 0],
        ["#W2000", "unseen", "", 0],
    ]
    assert [one[:2] for one in record["left_out"]] == [
        ["return_items", ["#W1000", "7001", "card_9"]],
        ["cancel_order", ["#W2000"]],
    ]
    assert (
        [one[2] for one in record["left_out"]]
        == [
            action_digest(one["name"], one["arguments"])  # type: ignore[arg-type]
            for one in KEY[1:]
        ]
    )


def test_a_reading_call_that_failed_has_opened_nothing_and_a_change_made_is_not_left_out() -> None:
    failed = called("get_order", {"order_id": "#W1000"}, "Error: no such order")
    done = called("cancel_order", {"order_id": "#W2000"}, "ok")
    record = lookups(attempt_of(failed, done, said("Done.")))
    assert record["key_values"][0] == ["#W1000", "unseen", "", 1]
    assert [tool for tool, *_ in record["left_out"]] == ["return_items"]


def test_verbs_are_looked_for_in_the_instruction_and_in_what_the_user_says() -> None:
    record = lookups(attempt_of(user("I would like to have it returned."), said("Which one?")))
    assert record["requests"] == [["return", 1, 1], ["cancel", 1, 0]]


@pytest.mark.parametrize(
    ("said_by_user", "found"),
    [
        ("I wanna retrun the lamp and cancle the rest.", (1, 1)),
        ("Returning is what I want. I am canceeling, too.", (1, 1)),
        ("The lantern is in the cupboard.", (0, 0)),
        ("I watch another channel.", (0, 1)),  # two slips from a verb: who cannot tell says nothing
    ],
)
def test_a_misspelt_verb_was_said(said_by_user: str, found: tuple[int, int]) -> None:
    record = lookups(attempt_of(user(said_by_user), said("Which one?")))
    assert record["requests"] == [["return", 1, found[0]], ["cancel", 1, found[1]]]


def test_a_short_verb_or_one_that_begins_otherwise_is_no_slip() -> None:
    key = [{"name": "exchange_items", "arguments": {"order_id": "#W1"}}, {"name": "move_it", "arguments": {"to": "a"}}]
    told = {"user_instruction": "Exchange the lamp and move the chair."}
    rows = (
        task_row(0, user(text), said("So?"), passed=False, verifier={"expected_actions": key}, metadata=told)
        for text in ("I want to change my mind, love.", "I want to exchage it, and to mvoe it.")
    )
    assert [lookups(Attempt(one))["requests"] for one in rows] == [
        [["exchange", 1, 0], ["move", 1, 0]],
        [["exchange", 1, 1], ["move", 1, 0]],
    ]


def test_a_row_without_a_key_has_no_record() -> None:
    assert lookups(Attempt(task_row(0, said("Hello."), passed=False))) == {}


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        (
            "I do not have the ability to search for lamps. Please give me the id.",
            "I do not have the ability to search",
        ),
        ("I'm sorry, but I can't look up items by colour.", "I can't look up items by colour"),
        ("I am unable to compare prices.", "I am unable to compare prices"),
        ("I also cannot search by theme.", "I also cannot search by theme"),
        ("I cannot search for a lamp without an item ID.", "I cannot search for a lamp without an item ID"),
        ("I cannot look up your order without your name.", ""),
        ("I cannot find any lamp below 20 dollars.", ""),
        ("I am unable to retrieve the order.", ""),
        ("I cannot cancel a delivered order.", ""),
        ("I checked it: the lamp is blue.", ""),
    ],
)
def test_the_model_denies_an_ability(text: str, denied: str) -> None:
    found = denial(attempt_of(called("get_order", {"order_id": "#W1"}, "{}"), said(text)))
    if denied:
        item, words = found["denies"]
        assert item == 2
        assert words.startswith(denied)
    else:
        assert found == {}


def test_what_is_out_of_reach_after_a_failed_call_is_a_result_and_no_denial() -> None:
    told = said("I am unable to access your profile.")
    assert denial(attempt_of(called("find_user", {"email": "a@b.c"}, "Error: user not found"), told)) == {}
    assert denial(attempt_of(called("find_user", {"email": "a@b.c"}, "ann_1"), told)) != {}


def test_as_long_as_every_call_has_failed_nothing_is_denied() -> None:
    told = said("I can't search for your booking by the name of the street.")
    missed = called("find_guest", {"name": "Ann"}, "Error: guest not found")
    assert denial(attempt_of(missed, told)) == {}
    assert denial(attempt_of(called("list_rooms", {}, "12, 14"), missed, told)) != {}


def test_asking_for_an_identifier_that_a_tool_looked_up_in_vain_denies_nothing() -> None:
    told = said("I can't check your booking without a guest number.")
    rooms, missed = called("list_rooms", {}, "12, 14"), called("find_guest", {"name": "Ann"}, "Error: guest not found")
    assert denial(attempt_of(missed, rooms, told)) == {}
    assert denial(attempt_of(missed, called("find_guest_by_room", {"room": 12}, "g-7"), rooms, told)) != {}


@pytest.mark.parametrize(
    ("words", "denied"),
    [
        ("I cannot look up bookings by their rooms alone without the booking number.", True),
        ("I can't search for bookings using only the date without a booking number.", True),
        ("I cannot look up bookings by their rooms without the booking number.", False),
    ],
)
def test_a_way_of_looking_up_that_is_ruled_out_is_denied_whatever_failed(words: str, denied: bool) -> None:
    knows = called("find_guest", {"name": "Ann"}, "guest_1, two bookings")
    failed = called("get_booking", {"booking_id": "B1"}, "Error: no such booking")
    assert bool(denial(attempt_of(knows, failed, said(words)))) is denied
    assert denial(attempt_of(failed, said(words))) == {}, "nothing is known yet"


def test_asking_for_an_identifier_before_any_tool_has_answered_denies_nothing() -> None:
    failed = called("get_order", {"order_id": "#W1"}, "Error: no such order")
    assert denial(attempt_of(failed, said("I cannot look up your order without the order number."))) == {}


def test_an_empty_answer_is_no_answer_from_which_an_identifier_could_be_found() -> None:
    asks = said("I cannot look up the dearest lamp without your account number.")
    for answer, denies in (("", False), ("Result of the call: ", False), ("{}", True), ("Result: account 7", True)):
        noted = called("note_down", {"text": "no account yet"}, answer)
        assert bool(denial(attempt_of(noted, asks))) is denies, answer


def test_the_words_of_a_user_deny_nothing() -> None:
    assert denial(attempt_of(called("get_order", {}, "{}"), user("I don't have a way to check that."))) == {}


def test_what_an_instruction_asks_for_on_a_condition_is_told_apart() -> None:
    told = {"user_instruction": "Return the lamp. If that fails, cancel the order; else return nothing."}
    verifier = {"expected_actions": KEY}
    row = task_row(0, user("So?"), said("What is it?"), passed=False, verifier=verifier, metadata=told)
    assert lookups(Attempt(row))["requests"] == [["return", 1, 0], ["cancel", CONDITIONAL, 0]]


def test_identifiers_stand_at_any_depth_and_in_json_that_is_written_as_a_text() -> None:
    arguments = {"order": "#W1000", "items": ["7001", {"card": "card_9"}], "note": "two words 12", "gone": None}
    assert identifiers(arguments) == ["#W1000", "7001", "card_9"]
    assert identifiers({"payload": '{"order": "#W2000", "gone": null, "lines": "[\\"8001\\"]"}'}) == ["#W2000", "8001"]
    assert identifiers({"broken": "[order_77"}) == ["[order_77"]
