"""Options that calls set in code and on command lines."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from tests.gym_rows import response, row
from tests.questions.made_cases import called, case, run_of, words

from blade.diagnosis.cases import Case
from blade.extract.attempt import Attempt
from blade.extract.call_options import call_options
from blade.questions import chosen_options

TASKS = 5


def rollouts(passing: Collection[int]) -> list[Case]:
    """Four attempts at each task, of which the first two set an option; some of the four pass."""
    return [
        case(
            task,
            passed=attempt in passing,
            observed={"options": {"lids='drop'": 3} if attempt < 2 else {"lids='keep'": 3}},
        )
        for task in range(TASKS)
        for attempt in range(4)
    ]


def told(*runs: list[Case]) -> str:
    answer = chosen_options.ask([run_of(f"run-{'ab'[number]}", cases) for number, cases in enumerate(runs)])
    return words(chosen_options.tell(answer)) if answer else ""


def test_an_option_after_which_all_fail_is_told_with_what_others_pass_there() -> None:
    text = told(rollouts({2, 3}), rollouts({2, 3}))
    assert text.startswith(
        "Calls set “lids='drop'” in 20 rollouts of 5 tasks (0, 1, 2, 3 and 4): none of them passes, 20 of the 20 "
        "others at these tasks (exact test within tasks, corrected: p = "
    ), text
    assert "Passes of those that set it: run-a 0 of 10; run-b 0 of 10 (e.g. run-a, task 0, attempt 0, item 3)." in text
    assert "2 options that several tasks share were looked at." in text


def test_an_option_that_passes_set_as_often_is_not_told() -> None:
    assert told(rollouts({1, 3})) == ""


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"code": "t = read('jars.csv', lids='drop', base=True)\nprint(t)"}, ["lids='drop'", "base=True"]),
        ({"code": 'read("jars.csv", lids="drop")'}, ["lids='drop'"]),
        ({"command": "make jars --no-glaze --kiln=2 -v"}, ["--no-glaze", "--kiln=2"]),
        ({"code": "shelf = 3\nif shelf == 4:\n    lids = 'drop'\n"}, []),
        ({"text": "a jar -- grey -- with a lid"}, []),
    ],
    ids=["keywords", "double quotes", "flags", "assignments", "dashes"],
)
def test_keywords_of_calls_and_flags_are_read_and_assignments_are_not(
    arguments: dict[str, str], options: list[str]
) -> None:
    rollout = row(1, response=response(*called("run", arguments, "done")))
    assert list(call_options(Attempt(rollout)).get("options", {})) == options
