"""The expected change on whose tasks two runs part."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case, RunCases
from blade.questions import SURE, expected_tools


def _expects(task: int) -> list[list[object]]:
    """Every other task wants a room moved, the others one closed."""
    tools = ["close_room"] if task % 2 else ["move_room"]
    return [[tool, 10 * task + place] for place, tool in enumerate(tools)]


def _run(name: str, passes: Callable[[int], bool], model: str) -> RunCases:
    made: list[Case] = []
    for task in range(24):
        done = [[*change, 1, 1, 0, ""] for change in _expects(task)] if passes(task) else []
        seen = {"expected": _expects(task), "changes": done, "shape": "omission"}
        made.append(case(task, passed=passes(task), observed=seen))
    run = run_of(name, made)
    run.known["settings"] = model
    return run


def test_the_tool_whose_tasks_hold_the_difference_is_named_with_its_counts() -> None:
    runs = [
        _run("oak", lambda task: task % 2 == 1 and task > 4, "one"),
        _run("elm", lambda task: (task % 2 == 1 and task > 6) or (task % 2 == 0 and task > 2), "two"),
    ]
    answer = expected_tools.ask(runs)
    assert answer is not None
    (part,) = answer["pairs"]
    assert (part["tool"], part["with"], part["without"]) == ("move_room", [[10, 12], [0, 12]], [[9, 12], [10, 12]])
    told = words(expected_tools.tell(answer))
    assert (
        "The difference between elm and oak sits in the 12 tasks that expect a change by move_room: 10 of 12 "
        "against 0 of 12 pass there, 9 of 12 against 10 of 12 elsewhere. That is beyond chance (exact test p = "
        "0.0039, corrected)."
    ) in told
    assert "Of these tasks elm passes more often in 4, 6, 8, 10, 12" in told


def test_runs_that_differ_everywhere_part_on_no_tool() -> None:
    runs = [_run("oak", lambda task: task < 6, "one"), _run("elm", lambda task: task < 20, "two")]
    assert expected_tools.ask(runs) is None


def test_shuffled_outcomes_part_beyond_chance_on_no_tool() -> None:
    chance = random.Random(5)
    sure = 0
    for _ in range(100):
        runs = [_run(name, lambda _: chance.random() < 0.5, name) for name in ("oak", "elm")]
        answer = expected_tools.ask(runs)
        sure += answer is not None and any(part["p"] <= SURE for part in answer["pairs"])
    assert sure <= 5
