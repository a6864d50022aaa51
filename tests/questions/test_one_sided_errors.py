"""Wrong numbers on one side of the key: told where the tasks say so, not the attempts at one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.questions import one_sided_errors


def answered(task: int, error: int, attempt: int = 0) -> Case:
    key, text = str(100 + task), str(100 + task + error)
    seen = {"source": "field", "text": text, "length": 3, "kind": "number", "key": [key], "key_kind": "number"}
    seen["meets"] = "" if error else "text"
    return case(task, passed=not error, attempt=attempt, observed={"answer": seen})


def told(errors: Sequence[Sequence[int]]) -> str:
    cases = [
        answered(task, error, attempt) for task, of_task in enumerate(errors) for attempt, error in enumerate(of_task)
    ]
    answer = one_sided_errors.ask([run_of("a", cases)])
    return words(one_sided_errors.tell(answer)) if answer else ""


def test_errors_of_one_sign_are_told_with_their_range() -> None:
    assert told([(4, 5), (6, 0)] * 6) == (
        "18 of 18 wrong numbers lie above the key, by 4 to 6, in 12 of 12 tasks (sign test over tasks p = 0.00049): "
        "one cause may stand behind them, as a step left out, a rounding or a unit."
    )
    assert "lie below the key, in 12 of 12 tasks" in told([(-1, -50)] * 12)


@pytest.mark.parametrize(
    "errors",
    [
        [(4, 5), (-6, 0)] * 6,  # both sides
        [(4,) * 12],  # one task
        [(4,)] * 7 + [(0,)] * 5,  # too few
        [(4, 4)] * 9 + [(-4,)],  # the tasks do not tell it surely enough
    ],
)
def test_nothing_is_told_where_the_tasks_do_not_say_it(errors: Sequence[Sequence[int]]) -> None:
    assert told(errors) == ""
