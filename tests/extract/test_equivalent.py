"""When two answers are one as a task means it, and when they may differ."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import attempt, say

from blade.extract.answer_kind import kind_of
from blade.extract.equivalent import LAYOUT, ORDER, VALUE, WRITING, calls_form, equivalent
from blade.extract.given_answer import key_met

ONE = [
    ("(1+2+3)×4", "(1 + 2 + 3)*4", WRITING),
    ("−5", "-5", WRITING),
    ("$1,234", "1234", WRITING),
    ("THE SUN", "the sun", WRITING),
    ("12 cm", "12", WRITING),
    ("2²", "2^2", WRITING),
    ("½", "1/2", WRITING),
    ("6 × 7 = 42", "42", VALUE),
    ("6 × 7 = 42", "6*7", VALUE),
    ("1/2", "0.5", VALUE),
    ("421/5", "84.2", VALUE),
    ("(25+3)-7", "25 - 7 + 3", VALUE),
    ("[f(a='x', b=2)]", '[f(a="x",b=2)]', LAYOUT),
    ("SELECT a FROM t;", "select a\nfrom `t`", LAYOUT),
    ("x ≤ 5", "x <= 5", WRITING),
    ("a ≠ b", "a != b", WRITING),
    ("x \\geq 2", "x≥2", WRITING),
    ("p → q", "p -> q", WRITING),
    ("2√3", "2\\sqrt{3}", WRITING),
    ("2π", "2\\pi", WRITING),
    ("1 234 567", "1234567", WRITING),
    ("USD 1.24 million", "1240000", WRITING),
    ("6.619m EUR", "6,619,000 EUR", WRITING),
    ("$3bn", "3,000,000,000", WRITING),
    ("5k", "5000", WRITING),
    ("1e3", "1000", VALUE),
    ("5 \\times 10^{3}", "5000", VALUE),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', LAYOUT),
    ('[["a","1,007.70"],["b","-2,000"]]', '[["a",1007.7],["b",-2000]]', LAYOUT),
    ("int f(){ return 1; } // same", "int f()\n{\n  return 1;\n}", LAYOUT),
    ("always begin\n  a <= b; end", "always begin a<=b; end", LAYOUT),
    ("def f(x):\n    return x", "def f(x):\n\n  return x  # same", LAYOUT),
]
TWO = [
    ("1.2 million EUR", "1200000 USD"),
    ("1.2 million", "1.2"),
    ("1.2 million", "1.2 billion"),
    ("5 m", "5000"),
    ("8*3", "6*4"),
    ("x ≤ 5", "x < 5"),
    ("1e3", "1e4"),
    ("12 345 6", "123456"),
    ('{"a": 1, "b": 2}', '{"a": 2, "b": 1}'),
    ('[["a","1,007.70"],["b",2]]', '[["a",1007.7],["b",3]]'),
    ('[["a",1],["b",2]]', '[["b",2],["a",1]]'),
    ('[["a",1],["b",true]]', '[["a",1],["b",1]]'),
    ('int f() { puts("a b"); return 1; }', 'int f() { puts("a  b"); return 1; }'),
    ("int f() { return 1; }", "int f() { return 2; }"),
    ("6*7=43", "43"),
    ("2²", "22"),
    ("3½", "31/2"),
    ("CO", "Co"),
    ("c1ccccc1", "C1CCCCC1"),
    ("5!", "5"),
    ("5 million", "5"),
    ("1/3", "0.333"),
    ("12 cm", "12 m"),
    ("[1,2]", "[2,1]"),
    ("1,2", "12"),
    ("0.1", "10%"),
    ("2024-01-05", "2018"),
    ("10-15", "-5"),
    ("mW", "MW"),
    ("SELECT 'A'", "SELECT 'a'"),
    ("[f(a=True)]", "[f(a=true)]"),
    ("[f(a='x')]", "[f(a=\"'x'\")]"),
]


@pytest.mark.parametrize(("one", "other", "how"), ONE)
def test_one_answer(one: str, other: str, how: str) -> None:
    assert equivalent(one, other) == equivalent(other, one) == how


@pytest.mark.parametrize(("one", "other"), TWO)
def test_two_answers(one: str, other: str) -> None:
    assert not equivalent(one, other)
    assert not equivalent(other, one)


def test_calls_are_one_in_brackets_as_texts_and_with_arguments_in_any_order() -> None:
    plain = calls_form("oven.heat(degrees=200, mode='fan')")
    assert plain
    for same in ('[oven.heat(degrees=200, mode="fan")]', "['oven.heat(mode=\"fan\", degrees=200)']",
                 "```python\noven.heat(mode='fan', degrees=200)\n```"):  # fmt: skip
        assert calls_form(same) == plain, same
    assert calls_form("[f(1), g(2)]") == calls_form("f(1), g(2)")
    for other in ("oven.heat(degrees=210, mode='fan')", "oven.heat(200, 'fan')", "[f(1), g(2)]"):
        assert calls_form(other) != plain
    for none in ("the oven is on (hot)", "[1, 2]", "f(x) + 1", "f(", "", "x = f(1)", "(" * 30_000):
        assert calls_form(none) == "", none


def test_the_order_of_a_set() -> None:
    assert equivalent("{1, 2}", "{2, 1}", unordered=True) == ORDER
    assert equivalent("a, b and c", "c, b, a", unordered=True) == ORDER
    assert not equivalent("a, b", "a, c", unordered=True)
    assert not equivalent("1,234", "234,1", unordered=True)


@pytest.mark.parametrize(
    ("prompt", "answer", "key", "how"),
    [
        ("Find all roots.", "3, 1", "1, 3", ORDER),
        ("Find all roots, in ascending order.", "3, 1", "1, 3", ""),
        ("Name them in any order; what is the set of nodes?", "b, a", "a, b", ORDER),
        ("What is six times seven?", "6*7 = 42", "42", VALUE),
        ("Make 24 with an expression using the numbers 6 and 4.", "8*3", "24", ""),
        ("What is 12*13?", "12*13", "156", ""),
        ("Round to two decimal places.", "27,985", "27985", WRITING),
        ("Give two significant digits.", "15 ml", "15", WRITING),
        ("Give two significant digits.", "0.5", "1/2", ""),
        ("Round to two decimal places.", "0.5", "0.50", ""),
        ("Answer without units.", "15 ml", "15", ""),
        ("Answer in lower case.", "Paris", "paris", ""),
        ("Answer in lower case.", "paris", "paris", "text"),
        ("What is the capital of France?", "paris", "Paris", WRITING),
    ],
)
def test_the_prompt_tells_what_counts(prompt: str, answer: str, key: str, how: str) -> None:
    made = attempt(say("x"), prompt=prompt, expected_answer=key, extracted_answer=answer)
    assert key_met(made, answer) == how


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("42", "number"),
        ("1,200.5", "number"),
        ("12 cm", "number"),
        ("B", "choice"),
        ("yes", "choice"),
        ('["a", "b"]', "list"),
        ("None", "none"),
        ("Not enough information", "none"),
        ("Charles Darwin", "text"),
    ],
)
def test_the_kind_of_an_answer(text: str, kind: str) -> None:
    assert kind_of((text,), {}) == kind
