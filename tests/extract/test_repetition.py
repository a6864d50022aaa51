"""Text that goes in circles."""

from __future__ import annotations

from blade.extract.repetition import circle
from blade.model import Step, StepKind

ROUND = "the order of the two parts matters here so we look at both again "


def message(text: str, item: int = 0) -> Step:
    return Step(StepKind.MESSAGE, item, text)


def test_a_circle_is_found_with_its_places() -> None:
    text = "Well. " + ROUND * 8
    found = circle([message(text)])
    assert found is not None
    assert found.times >= 5
    assert found.to_the_end
    assert text[slice(*found.first)] == text[slice(*found.last)]


def test_a_circle_that_was_left_does_not_reach_the_end() -> None:
    found = circle([message(ROUND * 8 + " ".join(f"word{n}" for n in range(80)))])
    assert found is not None
    assert not found.to_the_end


def test_rare_returns_in_a_long_text_are_no_circle() -> None:
    between = [" ".join(f"w{part}x{n}" for n in range(150)) for part in range(6)]
    assert circle([message(" ".join(ROUND + other for other in between))]) is None


def test_formulas_and_tables_are_no_circle() -> None:
    assert circle([message(r"$x \equiv 1 \pmod{5}$ and $y \equiv 2 \pmod{3}$ so " * 9)]) is None
    assert circle([message("| one | two | three | four | five | six |\n" * 30)]) is None


def test_the_same_message_three_times() -> None:
    text = "The build says the same as before, and I do not see yet what is different this time around."
    found = circle([message(text, n) for n in range(3)])
    assert found is not None
    assert (found.times, len(found.others)) == (3, 2)
    assert circle([message(text, n) for n in range(2)]) is None
    assert circle([]) is None
