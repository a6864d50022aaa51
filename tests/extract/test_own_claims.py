"""What messages say of their own work."""

from __future__ import annotations

import re

import pytest
from tests.detectors.attempts import attempt, call, say, user

from blade.extract.own_claims import SUCCESS, TROUBLE, UNABLE, every, last_sentence, names_tool, said, sentences
from blade.model import Step, StepKind


def message(text: str) -> Step:
    return Step(StepKind.MESSAGE, 0, text)


@pytest.mark.parametrize(
    "text", ["It is done.", "I've fixed the bug", "All tests pass.", "The order has been cancelled"]
)
def test_success(text: str) -> None:
    assert said(message(text), SUCCESS)


@pytest.mark.parametrize(
    "text", ["I did not find it", "It failed", "Could you please check the number?", "I'm not finding it"]
)
def test_trouble(text: str) -> None:
    assert said(message(text), TROUBLE)


@pytest.mark.parametrize("text", ["I'm unable to help", "I cannot access it", "I don't have access to files"])
def test_unable(text: str) -> None:
    assert said(message(text), UNABLE)


@pytest.mark.parametrize("text", ["You cannot miss it.", "She is able to come.", "", "The door is blue."])
def test_none_of_them(text: str) -> None:
    assert not said(message(text), SUCCESS)
    assert not said(message(text), UNABLE)


def test_thinking_and_code_are_not_said() -> None:
    text = "<think>It failed.</think>```\nfailed\n``` It is done. More."
    step = message(text)
    assert said(step, TROUBLE) is None
    start, end = said(step, SUCCESS) or (0, 0)
    assert text[start:end] == "is done"


def test_every_place_is_found() -> None:
    assert len(every(message("It failed. It failed again.\nAnd failed."), TROUBLE)) == 3
    assert len(every(message("failed " * 50), TROUBLE)) == 20


def test_the_last_sentence() -> None:
    text = "One. Two is longer.\n"
    sentence, start = last_sentence(message(text))
    assert sentence == "Two is longer."
    assert text[start:].startswith(sentence)
    assert last_sentence(message(""))[0] == ""


def test_a_tool_is_named_only_as_a_name() -> None:
    assert names_tool("use find_order now", "find_order")
    assert names_tool("use `search` now", "search")
    assert names_tool("the search tool", "search")
    assert not names_tool("search for it", "search")
    assert not names_tool("use refind_orders", "find_order")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("One. Two!\nThree", ["One.", "Two!", "Three"]),
        ("One.Two \n\n Three? ", ["One.Two ", " Three?", ""]),
        ("\n\nOne\n \nTwo... Three", ["", "One", " ", "Two...", "Three"]),
        ("<think>No. Yes.</think>Maybe", ["Maybe"]),
        ("", [""]),
    ],
)
def test_sentences(text: str, told: list[str]) -> None:
    assert list(sentences(text)) == told
    if "<" not in text:
        assert told == re.split(r"(?<=[.!?])\s+|\n+", text)


def test_what_closes_an_attempt() -> None:
    assert attempt(say("So.")).closing is not None
    assert attempt(say("So."), user("Thanks")).closing is not None
    assert attempt(say("So."), call("look", {}, "x")).closing is None
    assert attempt().closing is None


DONE = (
    "complete completed done fixed resolved verified working implemented updated created booked cancelled canceled "
    "sent saved added deleted removed scheduled processed submitted confirmed applied moved assigned changed"
).split()
TROUBLED = (
    "I couldn't|I can not|it isn’t|we did not|unable|not finding|not able|fails|failing|unfortunately|missing|"
    "unavailable|a limitation|without testing|untested|an error|this exception|with warnings|sorry|I apologize|"
    "I encounter|however|timed out|time out|timeout|denied|invalid|partially|incomplete|no results|no longer|"
    "restricted|trouble|difficulties|problems with|already taken|could you check|can you please share|"
    "would you confirm|lacks|broken|went wrong"
).split("|")
HELPLESS = (
    "I'm unable to go|I was not able to go|I cannot find|I can't open|I can’t read|I can not run|I could not get|"
    "I couldn't send|I couldn’t help|I do not have access|I don't have the tools|I don’t have means|"
    "they are beyond my reach|I give up"
).split("|")


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        *((f"The page is {verb}", SUCCESS) for verb in DONE),
        *(
            (f"I have {verb} it", SUCCESS)
            for verb in DONE[1:]
            if verb not in {"done", "working", "confirmed", "applied"}
        ),
        *(
            (text, SUCCESS)
            for text in ("Successfully so", "All tests succeeded", "The check passes", "It works perfectly")
        ),
        *((text, SUCCESS) for text in ("Finished now", "Fixed that", "- Done")),
        *((text, TROUBLE) for text in TROUBLED),
        *((text, UNABLE) for text in HELPLESS),
    ],
)
def test_no_cue_is_passed_over_for_its_words(text: str, cue: re.Pattern[str]) -> None:
    assert cue.search(text)
    assert said(message(text), cue)
    assert said(message(text.upper()), cue)
    assert every(message(text), cue)


def test_a_text_without_such_words_holds_no_cue() -> None:
    assert not any(said(message("Here is the list of pears."), cue) for cue in (SUCCESS, TROUBLE, UNABLE))
    assert said(message("All teſts paſs."), SUCCESS)
