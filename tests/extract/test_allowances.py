"""What a prompt allows in its own words, and what only sounds like it."""

from __future__ import annotations

import pytest

from blade.extract.allowances import ANY_ANSWER, ANY_ORDER, DIALOGUE, TOLERANCE, allowances


@pytest.mark.parametrize(
    ("prompt", "kind", "words"),
    [
        (
            "Colour the map. If there are multiple\ncolourings, print any of them.",
            ANY_ANSWER,
            "If there are multiple colourings, print any of them",
        ),
        ("If several routes exist, any of them will be accepted.", ANY_ANSWER, "If several routes exist, any of them"),
        ("Any valid answer is accepted.", ANY_ANSWER, "Any valid answer is accepted"),
        ("Split the herd in two. You may output any such split.", ANY_ANSWER, "output any such"),
        ("You may return any valid solution.", ANY_ANSWER, "return any valid solution"),
        ("Two seatings exist; either one is fine.", ANY_ANSWER, "either one is fine"),
        ("Return the names of the boats in any order.", ANY_ORDER, "Return the names of the boats in any order"),
        (
            "Your output is correct if its absolute or relative error is at most 10^{-6}.",
            TOLERANCE,
            "absolute or relative error",
        ),
        ("Answers within 10^-5 of the actual answer pass.", TOLERANCE, "within 10^-5 of the actual"),
        ("The absolute error must not exceed 1e-9.", TOLERANCE, "absolute error must not exceed 1e-"),
        ("Results are compared with a tolerance of 0.01.", TOLERANCE, "compared with a tolerance"),
        ("This is an interactive problem.", DIALOGUE, "interactive problem"),
        ("Flush the output after each question.", DIALOGUE, "Flush the output"),
    ],
)
def test_an_allowance_is_read_with_its_words(prompt: str, kind: str, words: str) -> None:
    assert allowances(f"Some boats lie in a harbour. {prompt} There are 20 boats.") == {kind: words}


@pytest.mark.parametrize(
    "prompt",
    [
        "In one move you can choose any two cards, or any of the piles, several times.",
        "If there are multiple routes, return the shortest one.",
        "You may perform the moves in any order. Print the number of moves.",
        "Do not print any of them twice.",
        "Train a model with a mean absolute error of at most 0.05.",
        "The absolute difference of two neighbours is at most 2.",
        "Stay within 10 metres of the correct path.",
        "Open an interactive shell and read the error.",
        "If you find any of the following, report it. Many errors are possible.",
    ],
)
def test_a_choice_inside_the_problem_allows_nothing(prompt: str) -> None:
    assert allowances(prompt) == {}


def test_long_words_end_with_what_allows() -> None:
    (words,) = allowances(f"If there are multiple {'very ' * 25}long routes, print any of them.").values()
    assert words.startswith("…")
    assert words.endswith("long routes, print any of them")
    assert len(words) == 100
