"""Limits of the prompt that are broken."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, call, proved, say, user

from blade.detectors.constraint_violated import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("word " * 80), prompt="Write a response of at most 50 words."), "words"),
        (attempt(say("too short"), prompt="Your answer must have at least 40 words."), "words"),
        (attempt(say("- one\n- two"), prompt="Answer with exactly 3 bullet points."), "bullet points"),
        (attempt(say("all small but One"), prompt="Your entire response should be in all lowercase letters."), "case"),
        (attempt(say("NOT all"), prompt="Your entire answer must be in English and in capital letters."), "capitals"),
        (attempt(say("well, yes"), prompt="Refrain from using commas."), "commas"),
        (attempt(say("Sure: {}"), prompt="Respond only with valid JSON."), "JSON"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("word " * 30), prompt="Write a response of at most 50 words."), CLEAN),
        (attempt(say("- one\n- two\n- three"), prompt="Answer with exactly 3 bullet points."), CLEAN),
        (attempt(say("```json\n{}\n```"), prompt="Respond only with valid JSON."), CLEAN),
        (attempt(say("word " * 80), prompt="Tell me about geese."), NOT_APPLICABLE),
        (attempt(say("word " * 80), prompt="Count the essays with at most 50 pages."), NOT_APPLICABLE),
        (attempt(call("look", {}, "ok"), say("well, yes"), prompt="Refrain from using commas."), NOT_APPLICABLE),
        (attempt(say("a, b"), user("more"), say("well, yes"), prompt="Refrain from using commas."), NOT_APPLICABLE),
        (attempt(prompt="Refrain from using commas."), NOT_APPLICABLE),
        (
            attempt(say("Some Words"), prompt="In your response, all lowercase words should appear at most 3 times."),
            NOT_APPLICABLE,
        ),
        (
            attempt(say("a word"), prompt="In your answer, words in capital letters should appear at least 5 times."),
            NOT_APPLICABLE,
        ),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
