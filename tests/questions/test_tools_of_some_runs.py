"""A tool that only some runs have: what they and the others pass at the tasks at which it is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called, words

from blade.questions import tools_of_some_runs

ALL = ("search", "sum_up")


def rollout(
    task: int, attempt: int, offered: tuple[str, ...], calls: tuple[str, ...], *, passed: bool, by: str
) -> Json:
    parts = [item for name in calls for item in called(name, {"n": f"{task} {attempt}"}, "found it")]
    tools = [{"type": "function", "name": name, "parameters": {"type": "object"}} for name in offered]
    return row(
        task,
        attempt,
        float(passed),
        responses_create_params=request(f"What is {task}?", **({"tools": tools} if offered else {})),
        response=response(*parts, message(f"It is {task}, said {attempt} by {by}.")),
        expected_answer=None,
        extracted_answer=None,
        kind="sums" if task < 6 else "looks",
    )


def found(tmp_path: Path, *, told: bool = True, helps: bool = True) -> Mapping[str, Any]:
    """Six tasks of twenty need sums: with the tool two of three attempts call it, and these pass."""
    paths = []
    for name in ("one", "two", "bare"):
        offered = (ALL if name != "bare" else ALL[:1]) if told else ()
        rows = []
        for task in range(20):
            for attempt in range(3):
                calls = ("search", "sum_up") if name != "bare" and task < 6 and attempt < 2 else ("search",)
                passed = "sum_up" in calls if task < 6 and helps else (task + attempt) % 2 == 0
                rows.append(rollout(task, attempt, offered, calls, passed=passed, by=name))
        paths.append(write(tmp_path / f"{name}.jsonl", rows))
    return analysed(*paths).investigation


def test_what_runs_pass_with_the_tool_and_without_it(tmp_path: Path) -> None:
    answer = found(tmp_path)["tools_of_some_runs"]
    (entry,) = answer["tools"]
    assert (entry["tool"], entry["having"], entry["lacking"]) == ("sum_up", ["one", "two"], ["bare"])
    told = words(tools_of_some_runs.tell(answer))
    assert told == (
        "Only one and two have sum_up; bare lacks it. At the 6 tasks at which these call it in most rollouts (0, 1, 2, "
        "3, 4 and 5, all of them where kind is sums) 24 of 36 pass with it on offer and 0 of 18 without it (exact test "
        f"by tasks p = {entry['p']:.2g}); at the other tasks of both 42 of 84 and 21 of 42. By run: one 12 of 18, two "
        "12 of 18 and bare 0 of 18. Where it is on offer there, 24 of the 24 rollouts that call it pass and 0 of the "
        "12 that do not."
    )
    (advice,) = tools_of_some_runs.advise(answer)
    assert advice.change == (
        "Offer sum_up in all runs, or leave the tasks that need it out before the runs are compared"
    )
    assert advice.because.text == "Without it bare fails 18 of 18 rollouts at these 6 tasks."
    assert [sentence.text for sentence in tools_of_some_runs.brief(answer)] == [told.split(" By run")[0]]


def test_a_tool_that_only_some_runs_call_where_no_row_lists_the_tools(tmp_path: Path) -> None:
    told = words(tools_of_some_runs.tell(found(tmp_path, told=False)["tools_of_some_runs"]))
    assert told.startswith("Only one and two call sum_up; bare never calls it. At the 6 tasks")


def test_a_tool_that_goes_with_nothing_is_not_told(tmp_path: Path) -> None:
    assert "tools_of_some_runs" not in found(tmp_path, helps=False)


def test_runs_that_are_better_everywhere_are_not_told_by_a_tool(tmp_path: Path) -> None:
    paths = []
    for name in ("good", "poor"):
        offered = ALL if name == "good" else ALL[:1]
        rows = [
            rollout(task, attempt, offered, offered if task < 6 else ALL[:1], passed=name == "good", by=name)
            for task in range(20)
            for attempt in range(3)
        ]
        paths.append(write(tmp_path / f"{name}.jsonl", rows))
    assert "tools_of_some_runs" not in analysed(*paths).investigation
