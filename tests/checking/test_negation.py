"""Which numbers a sentence denies."""

from __future__ import annotations

import pytest

from blade.checking.negation import denied_clauses, denies


@pytest.mark.parametrize(
    "text",
    [
        "It does not score 7 %",
        "It isn't 7 %",
        "It no longer reaches 7 %",
        "It is not at all 7 %",
        "It hardly passes 7 of 9",
        "Nobody can show that in most runs it scores 7 %",
        "There is no reason to think that it is 7 %",
        "It would be wrong to say that it passes, in the end, 7 of 9",
    ],
)
def test_a_number_behind_a_negation_is_denied(text: str) -> None:
    assert denies(text, text.index("7"))


@pytest.mark.parametrize(
    "text",
    [
        "7 tasks never pass",
        "It does not call the tool in 7 of 9 attempts",
        "It does not score more than 7 %",
        "Not only 7 %",
        "None of its 7 attempts passes",
        "It never passes: 7 of 9 fail",
        "It fails to call the tool 7 times",
        "It does not stop, which costs 7 points",
        "It is not true that it is not 7 %",
    ],
)
def test_a_number_beside_a_negation_is_not(text: str) -> None:
    assert not denies(text, text.index("7"))


def test_the_negated_clauses_of_a_sentence() -> None:
    assert [clause.strip() for clause in denied_clauses("It does not stop, and it loops; nobody sees it.")] == [
        "It does not stop",
        "nobody sees it.",
    ]
