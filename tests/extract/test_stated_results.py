"""What a verifier says it wanted and what it says it got, in whatever words and in either order."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import row

from blade.extract.attempt import Attempt
from blade.extract.row_texts import RowText
from blade.extract.stated_results import StatedResult, stated_results


def sides(text: str, name: str = "verifier.message") -> list[tuple[str, str]]:
    """(got, wanted) of each line that states both."""
    return [(result.got, result.wanted) for result in stated_results([RowText(name, text)])]


@pytest.mark.parametrize(
    "text",
    [
        "want 'oak', have 'elm'",
        "wants 'oak' has 'elm'",
        "wanted 'oak', but had 'elm'",
        "expected 'oak' got 'elm'",
        "Expected 'oak' but got 'elm'",
        "shelf 3: Expected: 'oak', actual: 'elm'.",
        "it expects 'oak'; it gets 'elm'",
        "we expect 'oak' and saw 'elm'",
        "the lid should be 'oak' but was 'elm'",
        "the lid should equal 'oak', we found 'elm'",
        "the lid should have been 'oak', is 'elm'",
        "the lid must be 'oak', received 'elm'",
        "the lid must equal 'oak' but observed 'elm'",
        "Reference answer 'oak', submitted answer 'elm'",
        "required value = 'oak', returned value = 'elm'",
        "Target output: 'oak' printed output: 'elm'",
        "desired result 'oak' while produced result 'elm'",
        "correct answer: 'oak'. Yours: 'elm'",
        "expected token 'oak', sees token 'elm'",
        "expected line 'oak', given line 'elm'",
        "expected number 'oak', actually 'elm'",
        "expected 'oak' BUT GOT 'elm'",
        "got 'elm', want 'oak'",
        "Have 'elm', want 'oak'",
        "Got: 'elm', expected: 'oak'",
        "actual 'elm' but expected 'oak'",
        "The lid was 'elm', should be 'oak'",
        "the lids are 'elm' and should have been 'oak'",
        "received value 'elm'. Expected value 'oak'",
        "yours: 'elm' reference: 'oak'",
        "found 'elm', it must be 'oak'",
    ],
)
def test_both_sides_are_read_in_many_wordings_and_either_order(text: str) -> None:
    assert sides(text) == [("elm", "oak")]


@pytest.mark.parametrize(
    ("marked", "value"),
    [
        ("'oak'", "oak"),
        ('"oak"', "oak"),
        ("`oak`", "oak"),
        ("“oak”", "oak"),
        ("«oak»", "oak"),
        ("''", ""),
        (r"'o\'ak'", "o'ak"),
        (r'"o\"ak"', 'o"ak'),
        (r"'oak\n'", "oak\n"),
        (r"'oak\\n'", r"oak\n"),
        (r"'oak\x'", r"oak\x"),
        (r"`oak\n`", r"oak\n"),
        (r"“oak\n”", r"oak\n"),
        ("'it is, of 3 jars, “oak”'", "it is, of 3 jars, “oak”"),
        ("5", "5"),
        ("-5", "-5"),
        ("+5", "+5"),
        ("−5", "−5"),
        ("5.25", "5.25"),
        ("4,836.00", "4,836.00"),
        ("5e-3", "5e-3"),
        ("5E+3", "5E+3"),
        ("5%", "5%"),
    ],
)
def test_a_value_is_what_stands_in_marks_or_a_number(marked: str, value: str) -> None:
    assert sides(f"expected {marked}, got 17.") == [("17", value)]
    assert sides(f"expected 17, got {marked}.") == [(value, "17")]
    assert sides(f"Got {marked}, expected 17.") == [(value, "17")]


@pytest.mark.parametrize(
    "text",
    [
        "expected 5",
        "got 5",
        "expected 'oak'",
        "want 'oak', have",
        "want, have 'elm'",
        "expected oak, got elm",
        "expected 'oak' or 'ash', got 'elm'",
        "expected 'oak'\ngot 'elm'",
        "got 4, saw 5",
        "expected 4, wanted 5",
        "unexpected 'oak', got 'elm'",
        "expected 5th got 6",
        "expected 5 got 6th",
        "expected 'o\nak' got 'elm'",
        f"expected '{'a' * 401}' got 'elm'",
        "the shelf is open",
        "",
    ],
)
def test_a_line_without_both_sides_states_nothing(text: str) -> None:
    assert sides(text) == []


def test_the_longest_value_in_marks_is_read() -> None:
    assert sides(f"expected '{'a' * 400}' got 'elm'") == [("elm", "a" * 400)]


def test_each_line_is_read_and_equal_results_once() -> None:
    text = "want 'oak', have 'elm'\nshelf opened\ngot 3, want 4\nwant 'oak', have 'elm'"
    assert sides(text) == [("elm", "oak"), ("3", "4")]
    twice = [RowText("verifier.message", text), RowText("verifier.log", "got 3, want 4\ngot 7, want 8")]
    assert stated_results(twice) == [StatedResult("elm", "oak"), StatedResult("3", "4"), StatedResult("7", "8")]


def test_no_more_than_the_first_results_are_read() -> None:
    lines = [f"got {place}, want {place + 100}" for place in range(9)]
    results = [(str(place), str(place + 100)) for place in range(8)]
    assert sides("\n".join(lines)) == results
    assert sides("\n".join(lines[:7])) == results[:7]


@pytest.mark.parametrize("name", ["expected_answer", "verifier.reference_solution", "metadata.category", "difficulty"])
def test_what_describes_the_task_states_nothing(name: str) -> None:
    assert sides("want 'oak', have 'elm'", name) == []


@pytest.mark.parametrize("name", ["message", "verifier.log", "verifier.checks.0.message", "test_output"])
def test_what_the_verifier_writes_is_read(name: str) -> None:
    assert sides("want 'oak', have 'elm'", name) == [("elm", "oak")]


def test_an_attempt_states_the_results_of_its_row_and_not_of_the_prompt_or_the_answer() -> None:
    words = "want 'oak', have 'elm'"
    fields: dict[str, Any] = {"extracted_answer": None, "verifier": {"message": words}}
    assert Attempt(row(0, 0, 0.0, **fields)).stated_results == [StatedResult("elm", "oak")]
    assert Attempt(row(0, 0, 0.0, **(fields | {"verifier": {"target": words}}))).stated_results == []
    heard = row(0, 0, 0.0)
    heard["response"]["output"][0]["content"][0]["text"] = words
    heard["responses_create_params"]["input"][0]["content"] = words
    assert Attempt(heard).stated_results == []


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("Want '3', have '4'", ("4", "3")),
        ("EXPECTED 512 GOT 640", ("640", "512")),
        ("Should be 512 but was 640", ("640", "512")),
        ("got 'oak', want 'elm'; got 'ash', want 'fir'", ("oak", "elm")),
        ("Row 3: got 4, expected 5. Found 2 lids.", ("4", "5")),
        ("target 'x' and it printed 'y'", ("y", "x")),
    ],
)
def test_the_first_result_of_a_line_in_letters_of_any_size(line: str, result: tuple[str, str]) -> None:
    assert [tuple(stated) for stated in stated_results([RowText("check.log", line)])] == [result]
