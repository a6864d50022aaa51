"""The text of an answer beside its normal form."""

from __future__ import annotations

import pytest
from tests.gym_rows import Json
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.extract.raw_fields import raw_text
from blade.questions import answer_shapes, unread_right_answers


@pytest.mark.parametrize(
    ("record", "field", "text"),
    [
        ({"check": {"read": "1.2 million", "read_norm": "1.2"}}, "check.read_norm", "1.2 million"),
        ({"answer": "Two", "normalized_answer": "two"}, "normalized_answer", "Two"),
        ({"answer_raw": "Two", "answer_clean": "two"}, "answer_clean", "Two"),
        ({"read": "1.2 million"}, "read", ""),
        ({"check": "x"}, "check.read_norm", ""),
        ({"read": 7, "read_norm": "7"}, "read_norm", ""),
    ],
)
def test_the_text_as_it_was_written(record: Json, field: str, text: str) -> None:
    assert raw_text(record, field) == text


def test_right_answers_that_the_verifier_made_wrong_are_told() -> None:
    def judged(task: int, text: str, *, passed: bool, **seen: str) -> Case:
        answer = {"source": "field", "text": text, "length": len(text), "kind": "number", "key_kind": "number"}
        met = {"meets": "text"} if passed else {"meets": ""}
        return case(task, passed=passed, observed={"answer": {**answer, **met, "key": [f"{task}240000"], **seen}})

    rows = [judged(task, f"{task}240000", passed=True) for task in range(20)]
    rows += [judged(task, f"{task}.24", passed=False, raw=f"USD {task}.24 million") for task in range(20, 24)]
    rows += [judged(task, f"{task}.24", passed=False) for task in range(24, 34)]
    runs = [run_of("run", rows)]
    answer = unread_right_answers.ask(runs)
    assert answer is not None
    assert words(unread_right_answers.tell(answer)) == (
        "4 failures end with the expected answer, and the verifier read something else: 4 tasks (20, 21, 22 and 23). "
        "Had they been read, the runs would pass: run 24 of 34 instead of 20."
    )
    shapes = answer_shapes.ask(runs)
    assert shapes is not None
    assert [entry["failures"] for entry in shapes["shapes"] if entry["shape"] == "factor"] == [10]
