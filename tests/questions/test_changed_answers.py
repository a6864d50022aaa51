"""Right answers that are doubted and given up, and wrong ones that a second look mends."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, response, row, write
from tests.questions.made_cases import words

from blade.extract.attempt import Attempt
from blade.extract.changed_answers import changed_answer
from blade.questions import changed_answers


def rollout(task: int, first: str, last: str, doubt: str = "Wait, let me double-check.", attempt: int = 0) -> Json:
    right = str(2 * task)
    text = f"Counting the jars, the answer is {first}. {doubt} The lids were counted twice.\n\n\\boxed{{{last}}}"
    return row(
        task,
        attempt,
        float(last == right),
        response=response(message(text)),
        expected_answer=right,
        extracted_answer=last,
    )


def test_what_second_looks_cost_and_gain_is_told_by_run(tmp_path: Path) -> None:
    one = [rollout(task, str(2 * task), "71") for task in range(1, 7)] + [
        rollout(task, "71", str(2 * task)) for task in (7, 8)
    ]
    two = [rollout(task, str(2 * task), str(2 * task)) for task in range(1, 9)]
    paths = [f"{name}={write(tmp_path / f'{name}.jsonl', rows)}" for name, rows in (("one", one), ("two", two))]
    answer = analysed(*paths).investigation["changed_answers"]
    assert words(changed_answers.tell(answer)) == (
        "6 failures state the right answer, doubt it, and give another one; 2 passes turn a wrong one into the right "
        "one so: one 6 of 6 failures and 2 of 2 passes. Such as 1, attempt 0 of one: first 2, in the end 71 (6 tasks "
        "in all: 1, 2, 3, 4, 5 and 6). Second looks cost 4 more than they gain."
    )
    (head,) = changed_answers.brief(answer)
    assert head.text.startswith("6 failures state the right answer")


@pytest.mark.parametrize(
    ("first", "last", "doubt", "changed"),
    [
        ("6", "71", "Actually, hold on.", ["6", "71", True, False]),
        ("71", "6", "On reflection, no.", ["71", "6", False, True]),
        ("71", "72", "Let me verify.", ["71", "72", False, False]),
        ("6", "6", "Let me verify.", None),
        ("6", "71", "The shelf is full.", None),
    ],
)
def test_only_a_stated_answer_that_is_doubted_and_given_up_is_changed(
    first: str, last: str, doubt: str, changed: list[object] | None
) -> None:
    assert changed_answer(Attempt(rollout(3, first, last, doubt))).get("changed") == changed
