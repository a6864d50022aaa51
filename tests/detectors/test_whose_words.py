"""Rules about the model's words read no screen, no log and no user."""

from __future__ import annotations

from typing import Any

import pytest
from tests.detectors.attempts import Attempt, attempt, call, say, tool, user

from blade.detectors import examine, read_sightings
from blade.findings import State

SCREEN = "root@box:/srv# cat notes.txt\n{words}\nroot@box:/srv# ls\nnotes.txt\nroot@box:/srv#"
TOOLS = [tool("find_note", required=["name"], name="string"), tool("write_note", name="string", text="string")]
LOOP = "I will look at the list of open notes again and then decide which one comes next. " * 12
GOLD = {"expected_answer": "7"}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("text_loop", LOOP, {}),
    ("over_refusal", "I'm sorry, but I can't help with that request.", {}),
    ("explicit_ignorance", "I don't know the answer to this question.", {}),
    ("gave_up", "I am unable to find the note.", {"tools": TOOLS}),
    ("hedged_final", "The answer is \\boxed{3}. Or the answer is \\boxed{4}.", {"gold": True}),
    ("wrong_calculation", "The sum is 12 * 12 = 154.", {}),
    ("claim_without_tool", "I have verified that the note is there.", {"tools": TOOLS}),
    ("premature_stop", "Now I will write the note.", {"tools": TOOLS}),
    ("no_core_action", "The note has been written as you asked.", {"tools": TOOLS}),
    ("think_leak_or_tool_in_text", "<tool_call>write_note</tool_call>", {"tools": TOOLS}),
    ("planned_tool_not_used", "I will use find_note to look for it. It is done.", {"tools": TOOLS}),
    ("correct_then_changed", "So the answer is \\boxed{7}.", {"gold": True, "then": "The answer is \\boxed{9}."}),
    ("wrong_answer", "The answer is \\boxed{9}.", {"gold": True}),
]


def _attempt(first: list[Any], words: dict[str, Any]) -> Attempt:
    output = [*first, *([say(words["then"])] if "then" in words else [])]
    fields: dict[str, Any] = dict(GOLD) if words.get("gold") else {}
    return attempt(*output, tools=words.get("tools", []), reward=0.0, prompt="What is the number?", **fields)


def _fired(of: Attempt) -> set[str]:
    found, crashed = examine(of)
    assert not crashed
    seen = read_sightings(found["sightings"])
    return {name for name, sighting in seen.items() if sighting.state is State.FIRED}


@pytest.mark.parametrize(("detector", "words", "around"), CASES, ids=[case[0] for case in CASES])
def test_the_same_words_count_only_where_the_model_says_them(detector: str, words: str, around: dict[str, Any]) -> None:
    assert detector in _fired(_attempt([say(words)], around))
    assert detector not in _fired(_attempt([say(SCREEN.format(words=words))], around))
    assert detector not in _fired(_attempt([user(words)], around))


def test_a_failed_call_is_owned_up_to_by_the_model_and_not_by_a_log() -> None:
    calls = call("find_note", {"name": "a"}, "Error: no connection to the store")
    done = say("All notes are in order, here is the list you asked for.")
    assert "last_call_failed" in _fired(attempt(*calls, done, tools=TOOLS, reward=0.0))
    told = say(SCREEN.format(words="Unfortunately this failed."))
    assert "last_call_failed" in _fired(attempt(*calls, told, done, tools=TOOLS, reward=0.0))
    assert "last_call_failed" not in _fired(attempt(*calls, say("Unfortunately this failed."), tools=TOOLS, reward=0.0))


def test_an_error_in_the_place_of_the_last_message_is_seen_whoever_wrote_it() -> None:
    lost = "HTTP/1.1 503 Service Unavailable"
    assert "provider_error" in _fired(attempt(say(lost), reward=0.0))
