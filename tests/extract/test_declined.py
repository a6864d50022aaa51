"""Answers that say no more than that nothing was found, and lines of prompts that allow them."""

from __future__ import annotations

import pytest

from blade.extract.declined import allows_declining, closing_words, declines, may_decline

DECLINING = (
    "Could not be found",
    "unknown",
    "**Not available.**",
    "\\text{Unknown}",
    "[IDK]",
    "I can't answer that.",
    "I was not able to find the year.",
    "It cannot be determined from the given text.",
    "Insufficient information",
    "The passage does not mention who designed the gate.",
    "No information was available",
)
ANSWERS = (
    "",
    "42",
    "No",
    "not found guilty",
    "The gene was not found in mice",
    "The author is unknown",
    "Unknown Pleasures",
    "I could not find the page, but it is probably 42",
    "The year could not be determined exactly; approximately 1950",
)


@pytest.mark.parametrize("answer", DECLINING)
def test_an_answer_that_declines(answer: str) -> None:
    assert declines(answer)
    assert may_decline(answer)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_says_something(answer: str) -> None:
    assert not declines(answer)
    assert not may_decline(answer)


@pytest.mark.parametrize("answer", ["None", "n/a", "'nothing'"])
def test_words_that_are_an_answer_elsewhere(answer: str) -> None:
    assert not declines(answer)
    assert may_decline(answer)


def test_a_long_message_declines_by_its_last_paragraph() -> None:
    assert closing_words("I looked in three places.\n\nI could not find the year.") == "I could not find the year."
    assert closing_words("I could not find the year at first.\n\nIt is 1950.") == ""


def test_lines_of_a_prompt_that_let_a_rollout_decline() -> None:
    assert allows_declining("When a search shows nothing, it is fine to say that it could not be found.")
    assert allows_declining("If you do not know, say 'unknown'.")
    assert not allows_declining("Never give up.")
    assert not allows_declining("Do not answer with 'n/a'.")
    assert not allows_declining("Prefer primary sources.")
