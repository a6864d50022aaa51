"""Programs and modules that rollouts call for and the environment lacks: told with their outcomes, silent elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import Json, analysed, message, request, response, row, write
from tests.questions.made_cases import called, said, task_row, words

from blade.extract.attempt import Attempt
from blade.extract.lacking import lacking
from blade.questions import lacking_programs

NOT_FOUND = "bash: line 1: {}: command not found"


def _attempt(*calls: tuple[str, str]) -> Attempt:
    items = [item for command, answer in calls for item in called("bash", {"command": command}, answer)]
    made: Json = row(0, 0, 0.0, response=response(*items, message("Done.")), responses_create_params=request("Jars!"))
    return Attempt(made)


@pytest.mark.parametrize(
    ("command", "answer", "names"),
    [
        ("cat jar | xxd", NOT_FOUND.format("xxd"), [["xxd", "program"]]),
        ("sudo lidtool -v jar", "/bin/sh: 1: lidtool: not found", [["lidtool", "program"]]),
        ("lidtool jar", "zsh: command not found: lidtool", [["lidtool", "program"]]),
        ("lidtool jar", 'exec failed: exec: "lidtool": executable file not found in $PATH', [["lidtool", "program"]]),
        ("python3 -c 'import jars'", "ModuleNotFoundError: No module named 'jars'", [["jars", "module"]]),
        ("python3 -c 'import jars.lids'", "ModuleNotFoundError: No module named 'jars.lids'", [["jars", "module"]]),
        ("cat > jars.py; python3 -c 'import jars'", "ModuleNotFoundError: No module named 'jars'", []),
        ("ls -la", "ModuleNotFoundError: No module named 'jars'", []),
        ("ls | grep jar", NOT_FOUND.format("jar"), []),
        ("jar", NOT_FOUND.format("jar"), []),
        ("to open the jar turn the lid", NOT_FOUND.format("to"), []),
        ("cat page.html", "Page: not found", []),
    ],
)
def test_a_name_is_lacking_that_a_call_calls_for(command: str, answer: str, names: list[list[str]]) -> None:
    assert lacking(_attempt((command, answer))).get("lacking", []) == names


def _row(task: int, command: str, answer: str, *, passed: bool) -> Json:
    return task_row(task, called("bash", {"command": command}, answer), said("Done."), passed=passed)


def _rows(failing: int, passing: int) -> list[Json]:
    rows = [_row(task, f"xxd {task}", NOT_FOUND.format("xxd"), passed=False) for task in range(failing)]
    rows += [_row(task, f"xxd {task}", NOT_FOUND.format("xxd"), passed=True) for task in range(20, 20 + passing)]
    return rows + [_row(task, f"ls {task}", "a jar", passed=task >= 60) for task in range(50, 80)]


def test_names_are_told_with_their_outcomes_and_advised_on_where_they_go_with_failing(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one.jsonl", _rows(12, 0))).investigation["lacking_programs"]
    told = words(lacking_programs.tell(answer))
    assert (
        "The environment lacks what 12 of 42 rollouts that make calls call for: xxd (12 of 12 fail). 12 of 22 failures "
        "and 0 of 20 passes meet that: that goes with failing (exact test p = " in told
    )
    (head,) = lacking_programs.brief(answer)
    assert head.text == (
        "12 of 22 failures and 0 of 20 passes call for a program or module that the environment lacks: xxd."
    )
    (advice,) = lacking_programs.advise(answer)
    assert advice.change == "Install xxd in the environment, or say in the prompt what is there"


def test_what_passes_meet_as_often_is_told_without_blame_or_advice(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one.jsonl", _rows(2, 4))).investigation["lacking_programs"]
    assert "goes with failing" not in words(lacking_programs.tell(answer))
    assert list(lacking_programs.brief(answer)) == []
    assert list(lacking_programs.advise(answer)) == []


def test_what_many_rollouts_meet_costs_calls_though_passes_meet_it_as_often(tmp_path: Path) -> None:
    answer = analysed(write(tmp_path / "one.jsonl", _rows(1, 12))).investigation["lacking_programs"]
    (head,) = lacking_programs.brief(answer)
    assert head.text == (
        "13 of 43 rollouts that make calls call for what the environment lacks (xxd): that costs calls; 1 of them "
        "fails, as do 10 of the 30 others."
    )
    (advice,) = lacking_programs.advise(answer)
    assert advice.because.text == "1 failure calls for one of them in vain, and so do 12 passes."


def test_two_tasks_in_all_say_nothing(tmp_path: Path) -> None:
    assert "lacking_programs" not in analysed(write(tmp_path / "two.jsonl", _rows(2, 0))).investigation
