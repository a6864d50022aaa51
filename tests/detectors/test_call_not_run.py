"""Calls written as text that the harness took for words."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, user

from blade.detectors.call_not_run import detect
from blade.extract.unrun_calls import unrun_record
from blade.findings import State

LOOK = [say('Action:\n{"name": "find_guest", "arguments": {"email": "ada@inn.test"}}'), user("API output: guest_7")]
AGAIN = [say('Action:\n{"name": "find_room", "arguments": {"guest": "guest_7"}}'), user("API output: blue")]
CANCEL = '{"name": "cancel_stay", "arguments": {"guest": "guest_7"}}'
FENCED = [say(f"```json\nAction:\n{CANCEL}\n```"), user("Fine.")]
GOLD = [{"name": "cancel_stay", "arguments": {"guest": "guest_7"}}]


def test_a_call_in_a_fence_that_goes_to_the_user_did_not_run() -> None:
    made = attempt(*LOOK, *AGAIN, *FENCED, expected_actions=GOLD)
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, "cancel_stay")
    assert seen.detail == (
        "writes a call of 'cancel_stay' in another form than those that were run: it goes on to the user as words"
    )
    assert proved(made, seen)
    assert seen.cites[0].quote.startswith('{"name": "cancel_stay"')
    assert unrun_record(made) == {"unrun": [[4, "cancel_stay", 1]]}


def test_two_of_them_are_counted() -> None:
    other = [say('```json\n{"name": "book_stay", "arguments": {"guest": "guest_8"}}\n```'), user("Good.")]
    made = attempt(*LOOK, *AGAIN, *LOOK, *FENCED, *other)
    assert detect(made).detail.startswith("writes 2 calls, the first of 'cancel_stay', in another form")
    assert [row[2] for row in unrun_record(made)["unrun"]] == [0, 0]


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(*LOOK, *AGAIN), CLEAN),
        (attempt(*LOOK, *AGAIN, *FENCED, say(f"Action:\n{CANCEL}"), user("API output: gone")), CLEAN),
        (attempt(*LOOK, *AGAIN, say('```json\n{"guest": "guest_7"}\n```'), user("Fine.")), CLEAN),
        (attempt(call("find_guest", {}, "guest_7"), *FENCED), CLEAN),
        (attempt(*FENCED), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
