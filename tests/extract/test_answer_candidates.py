"""The relaxed reading of a final message."""

from __future__ import annotations

import pytest

from blade.extract.answer_candidates import readings
from blade.extract.same_answer import normal


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (r"We get \boxed{\frac{1}{2}}.", [r"\frac{1}{2}"]),
        ("<answer> 12 </answer>", ["12"]),
        ('{"answer": "yes", "why": "so"}', ["yes"]),
        ("Thinking.\n**Final Answer:** 42", ["42"]),
        ("## Final answer\n\nUlm", ["Ulm"]),
        ("Solution:\n1. Area = 3 * 4.\n2. So 12.\n\nThe answer is \\boxed{12}.", ["12"]),
        ("Answer:\n1) Ulm", ["1) Ulm"]),
        ("The answer is (C).", ["(C)"]),
        ("The correct option is **D**, as shown.", ["**D**"]),
        ("The answer to the first riddle is 3.14.", ["3.14"]),
        ("The answer is St. Gallen. It lies in the east.", ["St. Gallen"]),
        ("Final answer: Prof. Ada Oak", ["Prof. Ada Oak"]),
        ("Final answer: Ada J. M. Oak. She was the first.", ["Ada J. M. Oak"]),
        ("The answer is B. Oak trees fail.", ["B"]),
        ("The answer is C because A fails.", ["C"]),
        ("I'd go with B.", ["B"]),
        ("So B is the best answer.", ["B"]),
        ("I weigh them all.\nUlm", ["Ulm"]),
        ("I weigh them all.\nSo it's C.", ["C"]),
        ("The result is -33", ["-33"]),
        ("I add them.\nThe total number of legs is 1,042.", ["1,042"]),
        ("Of 12 boxes the weight is 42", ["Of 12 boxes the weight is 42"]),
        ("So the number that we look for is 42 apples", ["So the number that we look for is 42 apples"]),
        ("I weigh them all.\n```\nUlm\n```", ["Ulm"]),
        ("It has to be **C** then", ["C"]),
        ("The answer is 3. No, the answer is 4.", ["3", "4"]),
        ("The answer is 3. That is, \\boxed{3.0}", ["3"]),
        ("The answer is not C.", ["The answer is not C."]),
        (r"The answer is C. Hence \boxed{A}", ["C", "A"]),
        ('{"label": "Benign", "confidence": 0.9}', ["Benign"]),
        ('```json\n{"verdict": "B", "why": "' + "so " * 2000, ["B"]),
        ('{"label": "Benign", "note": "none"}\n{"label": "Harmful"}', ['{"label": "Harmful"}']),
        ('I send {"label": "Benign"}\nUlm', ["Ulm"]),
        ("words " * 100, []),
        ("", []),
    ],
)
def test_what_a_message_states(text: str, answers: list[str]) -> None:
    different: dict[str, str] = {}
    for reading in readings(text):
        different.setdefault(normal(reading.text), reading.text)
    assert [stated for key, stated in different.items() if key] == answers


@pytest.mark.parametrize(
    ("text", "wrapper", "doubtful"),
    [
        (r"\boxed{a or b}", "box", False),
        ("The answer is either A or B.", "phrase", True),
        ("Perhaps C", "line", True),
        ("Maybe the answer is C.", "phrase", True),
        ("Maybe not A. The answer is C.", "phrase", False),
        ("Answer: C", "label", False),
    ],
)
def test_what_it_stands_in_and_whether_it_doubts(text: str, wrapper: str, doubtful: bool) -> None:
    reading = readings(text)[-1]
    assert (reading.wrapper, reading.doubtful) == (wrapper, doubtful)


def test_places_hold_in_long_messages() -> None:
    text = "We look at it from every side. " * 400 + "The answer is 17."
    (reading,) = readings(text)
    assert text[reading.start : reading.end] == reading.text == "17"
