"""Answer keys, options and the format a prompt asks for."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.answer_key import Key, key_of
from blade.extract.options import letter_of, options_of
from blade.extract.wanted_format import wanted_format
from blade.model import Step, StepKind

LISTED = {"A": "Rome", "B": "a goose", "C": "Bern"}


@pytest.mark.parametrize(
    ("gold", "key"),
    [
        ({"expected_answer": "B"}, Key("expected_answer", ("B",))),
        ({"solution": "long", "verifier.expected": 7}, Key("verifier.expected", ("7",))),
        ({"answer": ["x"]}, Key("answer", ("x",))),
        ({"answers": ["x", "y"]}, Key("answers", ("x", "y"))),
        ({"target": [1, 2]}, Key("target", ("[1,2]",))),
        ({"expected_answer": '["x"]'}, Key("expected_answer", ("x",))),
        ({"expected_answer": " ", "answer": "4"}, Key("answer", ("4",))),
        ({"expected_answer": "w " * 300}, None),
        ({"expected_answer": {"a": 1}}, None),
        ({"solution": "because"}, None),
        ({}, None),
    ],
)
def test_the_key_is_one_short_answer(gold: dict[str, Any], key: Key | None) -> None:
    assert key_of(gold) == key


@pytest.mark.parametrize(
    ("row", "prompt", "options"),
    [
        ({"options": [{"A": "x"}, {"B": "y"}]}, "", {"A": "x", "B": "y"}),
        ({"choices": ["x", "y"]}, "", {"A": "x", "B": "y"}),
        ({"metadata": {"options": {"A": "x", "B": "y"}}}, "", {"A": "x", "B": "y"}),
        ({}, "Which?\nA: x\nB: y", {"A": "x", "B": "y"}),
        ({}, "Which?\n(A) x\n(B) y\n(C) z", {"A": "x", "B": "y", "C": "z"}),
        ({}, "Which?\nA) x\nB. y", {"A": "x", "B": "y"}),
        ({}, "Plan A: x", {}),
        ({"options": 3}, "B: y\nA: x", {}),
    ],
)
def test_options_come_from_the_row_or_the_prompt(row: dict[str, Any], prompt: str, options: dict[str, str]) -> None:
    assert options_of(row, prompt) == options


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("C", "C"),
        ("(c)", "C"),
        ("Option B", "B"),
        ("C) Bern", "C"),
        ("C: Bern", "C"),
        ("bern.", "C"),
        (r"\text{A}", "A"),
        ("a goose", "B"),
        ("A goose", "B"),
        ("A fine day", None),
        ("E", None),
        ("Berlin", None),
        ("", None),
    ],
)
def test_a_text_names_an_option_by_letter_or_words(text: str, letter: str | None) -> None:
    assert letter_of(text, LISTED) == letter


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Put your result in \\boxed{}.", "box"),
        ("Write your answer in a box.", "box"),
        ("Reply as <answer>...</answer>.", "tag"),
        ("Enclose the choice in XML tags.", "tag"),
        ("Respond with a JSON object.", "json"),
        ("End with 'Final answer: <town>'.", "label"),
        ("Your last line must read 'Answer: X'.", "label"),
        ("Answer with the letter of the option.", "letter"),
        ("Use the following format.", "form"),
        ("Output only the number.", "form"),
        ("How many letters are in this word?", None),
        ("A box holds three balls. How many are red?", None),
        ("Where was he born?", None),
    ],
)
def test_a_prompt_asks_for_a_format_or_for_none(text: str, kind: str | None) -> None:
    wanted = wanted_format([Step(StepKind.PROMPT, -1, text, role="user")])
    assert (wanted.kind if wanted else None) == kind
