"""Slots of a template that were never filled."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors.placeholder_in_prompt import detect
from blade.findings import State


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (attempt(say("x"), prompt="Answer this.\n{question}\n"), "{question}"),
        (attempt(say("x"), prompt="Context: {{ document }}"), "{{ document }}"),
        (attempt(say("x"), prompt="Read it.\n[INSERT ARTICLE HERE]\n"), "[INSERT ARTICLE HERE]"),
        (attempt(say("x"), prompt="Question: nan\nThink first."), "nan"),
    ],
)
def test_it_fires(made: Attempt, value: str) -> None:
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, value)
    assert proved(made, seen)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("x"), prompt="What is 2 + 2?"), CLEAN),
        (attempt(say("x"), prompt=r"Write \boxed{text} at the end."), CLEAN),
        (attempt(say("x"), prompt="Use this template:\n{question}\n"), CLEAN),
        (attempt(say("x"), prompt="Mend it:\n```\n{text}\n```\n"), CLEAN),
        (attempt(say("x"), prompt="What does print(f'{text}') write?"), CLEAN),
        (attempt(say("x"), prompt=""), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    assert detect(made).state is state
