"""Words that are looked for before a pattern is tried."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from blade import signatures
from blade.extract import failure, given_answer, observed
from blade.extract.answer_candidates import explicit
from blade.extract.prefilter import has_odd_letters, holds_any, lowered, may_hold
from blade.extract.text import in_one_line
from blade.extract.trouble import speaks_of
from blade.extract.wanted_format import wanted_format
from blade.model import Step, StepKind


def test_one_of_several_words() -> None:
    assert holds_any("a bad gateway", ("none", "gateway"))
    assert not holds_any("a bad gateway", ("Gateway",))


@pytest.mark.parametrize("text", ["DISK FULL", "dıſk full", "DİSK full", "disK full"])
def test_what_a_pattern_may_match_is_never_hidden(text: str) -> None:
    assert re.search("disk", text, re.IGNORECASE)
    assert may_hold(text, ("disk",))


def test_other_letters_are_not_odd() -> None:
    assert not has_odd_letters("Žluťoučký kůň — “tiše” ß Σ")
    assert not may_hold("Žluťoučký kůň", ("disk",))


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("ſervice unavailable", "transport"),
        ("TİMED OUT", "timeout"),
        ("dıſk full", "memory"),
        ("NO SPACE LEFT on device", "memory"),
    ],
)
def test_errors_in_odd_letters(text: str, topic: str) -> None:
    told = speaks_of(text)
    assert told is not None
    assert told.topic == topic


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The ANSWER is 5.", ["5"]),
        ("The anſwer is 5.", ["5"]),
        ("İ say the answer is 5.", ["5"]),
        ("answer is 4. Then the answer is 5", ["4", "5"]),
        ("- Therefore, the correct solution: 7\nno", ["7"]),
        ("the Best Choice is C", ["C"]),
        ("the answer to the best option is answer is D", ["answer is D"]),
    ],
)
def test_statements_of_an_answer(text: str, stated: list[str]) -> None:
    assert [reading.text for reading in explicit(text)] == stated


def test_a_format_asked_for_in_odd_letters() -> None:
    found = wanted_format([Step(StepKind.PROMPT, -1, "Reply with a JſON object.", role="user")])
    assert found is not None
    assert found.kind == "json"


@pytest.mark.slow
def test_no_other_letter_becomes_a_latin_one() -> None:
    every = "".join(chr(code) for code in range(0x110000))
    latin = re.compile(r"[^\x00-\x7f]+")
    assert latin.sub("", lowered(every)) == latin.sub("", every.lower())
    for letter in every:
        assert latin.sub("", lowered(letter)) == latin.sub("", letter.lower())


@pytest.mark.parametrize("text", ["The ANSWER — is B", "NAÏVE", "\ud800 Lone", "İzmir", "300 K"])
def test_lower_case_keeps_its_length_unless_a_letter_becomes_two(text: str) -> None:
    assert len(lowered(text)) == len(text.lower())


@pytest.mark.parametrize(
    ("kind", "asks"),
    [
        ("exact", ["Copy it VERBATIM", "case-sensitive", "in uppercase", "use capital letters", "without units"]),
        ("exact", ["exactly as written"]),
        ("digits", ["to 2 decimal places", "3 significant figures", "rounded up", "Round your answer"]),
        ("form", ["an expression", "write the equation", "Simplify it", "simplest form", "in lowest terms"]),
        ("form", ["as a common fraction", "as an exact decimal", "use the operators", "using only the numbers 1, 2"]),
        ("set", ["in any order", "order does not matter", "regardless of order", "the set of primes", "Find all x"]),
        ("set", ["give all real solutions"]),
        ("ordered", ["Sort them", "ascending", "in alphabetical order", "ordered", "the sequence", "ranking"]),
    ],
)
def test_what_a_prompt_says_of_the_writing_of_an_answer_is_never_hidden(kind: str, asks: list[str]) -> None:
    pattern, hints = given_answer._ASKED[kind]
    for text in asks:
        assert pattern.search(text), text
        assert may_hold(text, hints), text


WORDS = st.sampled_from(
    "error TRACEBACK failed unknown tool function command no such 404 500 not found bad gateway x_y : ; - _ # \n "
    "bash: ls: cannot access malformed call timed out is are allowed permitted the process \t a1 17 Ab3dEf".split(" ")
)
ANSWERS = st.lists(WORDS, max_size=12).flatmap(
    lambda words: st.sampled_from(["", " ", "  "]).map(lambda gap: gap.join(words))
)


@given(ANSWERS)
@examples(300)
def test_the_first_word_hides_no_failure(answer: str) -> None:
    if failure._BEGINS.match(answer):
        assert failure._may_begin(answer)
    if failure._COMPLAINS.match(answer):
        assert holds_any(answer.lower(), failure._COMPLAINT_HINTS)


@given(st.one_of(st.text(max_size=60), st.text(" ab\n\t\r\x0b\x0c\x1c\x1f\x85\xa0", max_size=30)))
@examples(300)
def test_a_text_in_one_line_has_single_spaces(text: str) -> None:
    assert in_one_line(text) == " ".join(text.split())


@given(st.text("abZ019_-. \u0663é", max_size=30))
@examples(300)
def test_words_with_a_figure_in_them(text: str) -> None:
    assert observed._FIGURES.sub("#", text) == re.sub(r"\w*\d\w*", "#", text)


@given(st.text("abcXYZ0189_-. \u0663é", max_size=40))
@examples(300)
def test_no_identifier_is_without_a_figure_beside_a_letter(text: str) -> None:
    pattern = next(mask for _, mask, _ in signatures._MASKS if "{6}" in str(mask.pattern))
    if pattern.search(text):
        assert signatures._MIXED.search(text)
