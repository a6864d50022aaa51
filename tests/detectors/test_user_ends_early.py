"""Simulated users who accept and end in one turn."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, user

from blade.detectors.user_ends_early import detect
from blade.findings import State

WANTED = {"expected_actions": [{"name": "cancel_order", "arguments": {"id": "o1"}}]}
ASK = say("I can cancel order o1 for you. Shall I proceed?")


def made(*items: object, reward: float = 0.0) -> Attempt:
    return attempt(*items, reward=reward, **WANTED)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words",
    [
        *("Yes, please. ###STOP###", "That sounds good. [END]", "Go ahead! <hangup>", "Okay, do it. CONVERSATION_OVER"),
        "Yes, please proceed with o1. For the other one transfer me to a person. ###STOP###",
    ],
)
def test_it_fires_on_any_mark_that_ends_the_talk(words: str) -> None:
    rollout = made(say("Hello."), user("Cancel o1."), ASK, user(words))
    sighting = detect(rollout)
    assert (sighting.state, sighting.value) == (FIRED, "accepts and ends")
    assert "cancel_order was expected and never made" in sighting.detail
    assert proved(rollout, sighting)


@pytest.mark.parametrize(
    ("rollout", "state"),
    [
        (made(ASK, user("Yes, please.")), CLEAN),  # nothing says that the user ended it
        (made(ASK, user("No, leave it. ###STOP###")), CLEAN),
        (made(ASK, user("Yes, transfer me to a person. ###STOP###")), CLEAN),
        (made(ASK, user("Okay, I'll find the number myself. ###STOP###")), CLEAN),
        (made(ASK, user("Great, thanks for your help! ###STOP###")), CLEAN),
        (made(say("Done. Can I help you with anything else?"), user("Perfect, thank you! ###STOP###")), CLEAN),
        (made(ASK, user("Yes."), *call("cancel_order", {"id": "o1"}, "ok"), ASK, user("Yes. ###STOP###")), CLEAN),
        (made(ASK, user("Yes. ###STOP###"), say("Done.")), CLEAN),
        (made(ASK, user("Yes. ###STOP###"), reward=1.0), CLEAN),
        (attempt(ASK, user("Yes. ###STOP###"), reward=0.0), NOT_APPLICABLE),
        (made(ASK), NOT_APPLICABLE),
    ],
)
def test_it_stays_quiet(rollout: Attempt, state: State) -> None:
    assert detect(rollout).state is state


OFFER = say("I found the order.\n\nWould you like the refund to the original card, or to a voucher?")


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("Refund to the original card, please. ###STOP###", FIRED),  # it repeats what is offered: it chooses
        ("Voucher. ###STOP###", FIRED),
        ("Just keep the original card on file. ###STOP###", CLEAN),  # says more than was offered
        ("I found the order. ###STOP###", CLEAN),  # repeats what is no part of the question
        ("No refund to the original card. ###STOP###", CLEAN),
    ],
)
def test_a_user_who_chooses_what_is_offered_accepts(words: str, state: State) -> None:
    assert detect(made(OFFER, user(words))).state is state


def test_yes_to_whether_it_is_right_agrees_whatever_follows() -> None:
    asked = say("I will cancel both orders together. Is that correct?")
    assert detect(made(user("Cancel o1."), asked, user("Yes, that's all, together. ###STOP###"))).state is State.FIRED
    assert detect(made(user("Cancel o1."), asked, user("That's all. ###STOP###"))).state is not State.FIRED


KEY = [
    {"name": "cancel_order", "arguments": {"id": "order_1"}},
    {"name": "update_ticket", "arguments": {"id": "ticket_7", "class": "first"}},
]


def test_it_tells_of_the_missing_change_that_the_user_agrees_to() -> None:
    proposal = say("I cannot cancel order_1, but a person may. I can put ticket_7 into first class. Shall I proceed?")
    words = "Yes, I authorize the upgrade of ticket_7. Transfer me to a human agent about order_1. ###STOP###"
    sighting = detect(attempt(user("Hello."), proposal, user(words), reward=0.0, expected_actions=KEY))
    assert sighting.state is FIRED
    assert "update_ticket was expected and never made" in sighting.detail
    words = "Yes. ###STOP###"
    sighting = detect(attempt(user("Hello."), say("Is that fine?"), user(words), reward=0.0, expected_actions=KEY))
    assert "; a change was expected and never made" in sighting.detail


def test_a_user_who_agrees_to_another_action_has_not_agreed_to_the_missing_change() -> None:
    return_it = call("return_item", {"item": "lamp_5"}, "Error: not now")
    sighting = detect(made(*return_it, say("Shall I return the lamp?"), user("Yes, please. ###STOP###")))
    assert sighting.state is CLEAN
