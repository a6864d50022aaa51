"""The quick proof that nothing is repeated never overlooks what is."""

from __future__ import annotations

import random

import pytest

from blade.extract.repetition import GRAM, TIMES, circle
from blade.extract.repetition_prefilter import LEAST_RUNS, LEAST_WORDS, may_repeat, may_repeat_in_any
from blade.model import Step, StepKind

LEAST = GRAM * TIMES
UNIT = "then we look at both of the parts again before the end".split()
FILLER = [f"w{place}x{place * 7 % 1009}" for place in range(2500)]


def test_it_proves_what_the_search_asks_for() -> None:
    assert (GRAM, TIMES) == (LEAST_WORDS, LEAST_RUNS) == (len(UNIT), 5)


@pytest.mark.parametrize("filler", [60, 2500])
@pytest.mark.parametrize("shift", range(13))
def test_five_copies_are_seen_wherever_they_begin(filler: int, shift: int) -> None:
    rng = random.Random(shift)
    words = FILLER[:filler]
    parts = [*words[:shift]]
    for copy in range(TIMES):
        parts += [*UNIT, *words[20 + copy * 9 : 20 + copy * 9 + rng.randint(0, 7)]]
    assert may_repeat(" ".join([*words, *parts]), LEAST)
    assert may_repeat(" ".join([*parts, *words])[:15_000], LEAST)


@pytest.mark.parametrize("white", ["\n", "  ", "\t", "\r\n", " \u2003 ", "\u3000", "\x1c", "\u00a0"])
def test_any_white_space_parts_words(white: str) -> None:
    copies = [
        (white if copy % 2 else " ").join(UNIT) + white * (copy % 3 + 1) + FILLER[copy] + " " for copy in range(TIMES)
    ]
    assert may_repeat(" ".join(FILLER) + white + "".join(copies), LEAST)
    assert may_repeat(" ".join(FILLER[:60]) + white + "".join(copies), LEAST)


@pytest.mark.parametrize("word", ["İstanbul", "straße", "漢字", "😀😀", "—", "\ud800"])
def test_letters_of_any_kind_are_told_apart(word: str) -> None:
    copies = " ".join([*UNIT[:-1], word, "so"] * TIMES)
    assert may_repeat(f"{' '.join(FILLER)} {copies}", LEAST)
    assert not may_repeat(" ".join([*FILLER[:1200], word, *FILLER[1200:]]), LEAST)


@pytest.mark.parametrize("size", [200, 2500])
def test_four_copies_and_few_words_are_let_pass(size: int) -> None:
    assert not may_repeat(" ".join(FILLER[:size]), LEAST)
    assert not may_repeat(" ".join(UNIT * 5)[:-1].rsplit(" ", 1)[0], LEAST)


def test_a_copy_with_an_odd_word_does_not_count() -> None:
    odd = [*UNIT[:6], "odd", *UNIT[7:]]
    others = [FILLER[place * 11 : place * 11 + 3] for place in range(6)]
    five = [word for place in range(5) for word in (*UNIT, *others[place])]
    four = [word for place in range(5) for word in (*(odd if place == 2 else UNIT), *others[place])]
    assert circle([Step(StepKind.THOUGHT, 0, " ".join(five))]) is not None
    assert circle([Step(StepKind.THOUGHT, 0, " ".join(four))]) is None


def test_a_circle_at_the_very_end_of_a_long_text() -> None:
    text = " ".join([*FILLER, *(UNIT * 400)])
    found = circle([Step(StepKind.THOUGHT, 0, text)])
    assert found is not None
    assert found.to_the_end


@pytest.mark.parametrize("white", [" ", "\n", "  ", "\r\n", "\u2003", "\u3000", "\x1c", "\u00a0 "])
@pytest.mark.parametrize("word", ["end", "İstanbul", "漢字", "😀", "\ud800", "\x01"])
def test_what_one_of_several_texts_repeats_is_seen_among_all(white: str, word: str) -> None:
    copies = [white.join([*UNIT[:-1], word]) + (white if copy % 2 else " ") for copy in range(TIMES)]
    rng = random.Random(7)
    mixed = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(1, 9))) for _ in range(400)]
    others = [" ".join(mixed[:300]), " ".join(mixed[300:])]
    assert may_repeat_in_any([*others, "".join(copies)])
    assert may_repeat_in_any(["".join(copies) + FILLER[0], *others])
    assert may_repeat_in_any([f"{FILLER[1]} ".join(copies)])
    assert not may_repeat_in_any([*others, copies[0]])


def test_few_words_in_all_are_no_circle() -> None:
    assert not may_repeat_in_any([" ".join(UNIT * TIMES).rsplit(" ", 1)[0]])
    assert may_repeat_in_any([" ".join(UNIT * TIMES)])
