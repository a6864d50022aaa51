"""Tools that some rollouts of a task use and others leave."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from tests.questions.made_cases import case, run_of, words

from blade.diagnosis.cases import Case
from blade.questions import unused_tools

TASKS = 8


def rollout(task: int, *, opens: bool, passed: bool, told: bool = True) -> Case:
    """A rollout that searches, and opens what it found or does not; `told` is whether opening told it anything."""
    tools = ["search", "open"] if opens else ["search"]
    answered = {"answered": tools if told else ["search"]}
    seen = {"text": "9 jars", "key": ["11"]}
    return case(task, passed=passed, observed={**answered, "answer": seen}, actions=[f"{tool}(q)" for tool in tools])


def told(*runs: list[Case]) -> str:
    answer = unused_tools.ask([run_of(f"run-{'ab'[number]}", cases) for number, cases in enumerate(runs)])
    return words(unused_tools.tell(answer)) if answer else ""


@pytest.fixture(autouse=True)
def _without_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made runs have no fields of their tasks."""
    monkeypatch.setattr(unused_tools, "common_part", lambda *_: None)


def rollouts(passes_without: Collection[int] = (), *, opening: int = 2, missed: int = 0) -> list[Case]:
    """Four attempts at each task, of which the first open what they found and pass, but for the tasks below `missed`.

    Of the others those of some tasks pass.
    """
    return [
        rollout(task, opens=attempt < opening, passed=task >= missed if attempt < opening else task in passes_without)
        for task in range(TASKS)
        for attempt in range(4)
    ]


def test_a_tool_without_which_rollouts_fail_is_told_by_run_with_tasks_and_an_example() -> None:
    text = told(rollouts({7}), rollouts(opening=4))
    assert text.startswith(
        "16 of 64 rollouts never call open at 8 tasks at which others do (0, 1, 2, 3, 4, 5, 6 and 7): 2 of them pass, "
        "48 of the 48 others (exact test within tasks, corrected: p = "
    ), text
    assert "Passes without it and with it: run-a 2 of 16 and 16 of 16; run-b 0 of 0 and 32 of 32; run-a leaves" in text
    assert (
        "At 7 tasks none of the 14 without it passes (0, 1, 2, 3, 4, 5 and 6), at 1 all 2 do: there what they had was "
        "enough. For instance run-a, task 0, attempt 0 answers “9 jars” after search alone; the key is “11”."
    ) in text, text


def test_the_first_screen_names_the_runs_and_the_advice_the_failures() -> None:
    answer = unused_tools.ask([run_of("run-a", rollouts())])
    assert answer is not None
    (head,) = unused_tools.brief(answer)
    assert head.text.endswith("Passes without it and with it: run-a 0 of 16 and 16 of 16."), head.text
    (advice,) = unused_tools.advise(answer)
    assert advice.change == "Have the model use open before it answers tasks such as 0, 1, 2 and 5 more"
    assert advice.because.text == "16 rollouts that never call it fail."


@pytest.mark.parametrize("tool", ["jar_update", "swap_text", "write_file"])
def test_no_model_is_told_to_change_something_for_its_own_sake(tool: str) -> None:
    answer = unused_tools.ask([run_of("run-a", rollouts())])
    assert answer is not None
    for entry in answer["tools"]:
        entry["tool"] = tool
    assert list(unused_tools.brief(answer)) == []
    assert list(unused_tools.advise(answer)) == []
    assert f"never call {tool}" in words(unused_tools.tell(answer))


def test_a_tool_that_makes_no_difference_or_is_used_by_all_is_not_told() -> None:
    assert told(rollouts(range(4), missed=4)) == ""
    assert told(rollouts(opening=4, missed=4)) == ""


def test_who_calls_a_tool_and_is_told_nothing_does_not_count_as_leaving_it() -> None:
    cases = [
        rollout(task, opens=True, passed=attempt < 2, told=attempt < 2) for task in range(TASKS) for attempt in range(4)
    ]
    assert told(cases) == ""
