"""Addresses made up from a name."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, GUARDED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, tool

from blade.detectors.unresolved_entity import detect
from blade.findings import State

FIND = tool("directory_find_address", name="string")
SEND = tool("send_mail", to="string", body="string")
OWN = tool("assign_task", task_id="string", user_id="string")
TOOLS = [FIND, SEND, OWN]
ASK = "Write to Mara Lindqvist that we are late."
MAIL = call("send_mail", {"to": "mara.lindqvist@corp.test", "body": "late"}, "sent")


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(MAIL, say("Sent."), prompt=ASK, tools=TOOLS), "send_mail.to"),
        (
            attempt(call("assign_task", {"user_id": "tom_okafor"}, "ok"), prompt="Give it to Tom Okafor.", tools=TOOLS),
            "assign_task.user_id",
        ),
        (
            attempt(call("send_mail", {"to": "Petra@corp.test"}, "ok"), prompt="Tell Petra.", tools=TOOLS),
            "send_mail.to",
        ),
        (
            attempt(
                call("orders_search", {"owner": "tom.okafor@corp.test"}, []),
                say("He has none."),
                prompt="Hand over all orders of Tom Okafor.",
                tools=[FIND, tool("orders_search", owner="string")],
            ),
            "orders_search.owner",
        ),
        (
            attempt(
                call("orders_search", {"owner": "Tom Okafor"}, []),
                prompt="Hand over all orders of Tom Okafor.",
                tools=[FIND, tool("orders_search", owner={"type": "string", "description": "E-mail address"})],
            ),
            "orders_search.owner",
        ),
    ],
)
def test_these_fire(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (
            attempt(
                call("directory_find_address", {"name": "Mara"}, "mara.lindqvist@corp.test"),
                MAIL,
                prompt=ASK,
                tools=TOOLS,
            ),
            CLEAN,
        ),
        (attempt(call("directory_find_address", {"name": "mara l"}, "none"), MAIL, prompt=ASK, tools=TOOLS), CLEAN),
        (attempt(MAIL, prompt=ASK + " She is mara.lindqvist@corp.test.", tools=TOOLS), CLEAN),
        (attempt(MAIL, prompt="Write to the manager that we are late.", tools=TOOLS), CLEAN),
        (attempt(MAIL, prompt=ASK, tools=[SEND]), NOT_APPLICABLE),
        (
            attempt(
                call("orders_search", {"owner": "Tom Okafor"}, []),
                prompt="Hand over all orders of Tom Okafor.",
                tools=[FIND, tool("orders_search", owner={"type": "string", "description": "Full name"})],
            ),
            CLEAN,
        ),
        (
            attempt(MAIL, call("directory_find_address", {"name": "Mara"}, "m.l@corp.test"), prompt=ASK, tools=TOOLS),
            CLEAN,
        ),
        (attempt(say("Sent."), prompt=ASK, tools=TOOLS), NOT_APPLICABLE),
        (
            attempt(
                MAIL,
                prompt=ASK,
                tools=TOOLS,
                ground_truth=[
                    {"name": "send_mail", "arguments": {"to": "mara.lindqvist@corp.test", "body": "late"}},
                ],
            ),
            GUARDED,
        ),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state


def test_it_names_the_person_and_the_look_up() -> None:
    seen = detect(attempt(MAIL, say("Sent."), prompt=ASK, tools=TOOLS))
    assert [cite.quote for cite in seen.cites] == ["Mara Lindqvist", "mara.lindqvist@corp.test"]
    assert "'Mara Lindqvist'" in seen.detail
    assert "'directory_find_address' was never asked" in seen.detail
