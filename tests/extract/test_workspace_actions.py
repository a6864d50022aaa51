"""What calls do in a workspace."""

from __future__ import annotations

from typing import Any

import pytest
from tests.detectors.attempts import attempt, call

from blade.extract.calls import Call
from blade.extract.workspace_actions import check_problem, command_of, deeds, harmless, runs_things


def made(name: str, arguments: Any, answer: Any = "ok") -> Call:
    return attempt(call(name, arguments, answer)).calls[0]


@pytest.mark.parametrize(
    ("name", "arguments", "command"),
    [
        ("bash", {"command": "ls"}, "ls"),
        ("exec_command", {"cmd": ["ls", "-l"]}, "ls -l"),
        ("bash_command", {"keystrokes": "ls\n"}, "ls\n"),
        ("execute_python", {"code": "1 + 1"}, "1 + 1"),
        ("shell", "no json", "no json"),
        ("book", {"command": "ls"}, ""),
        ("bash", {"n": 1}, ""),
        ("bash", [1], ""),
    ],
)
def test_the_command_of_a_call(name: str, arguments: Any, command: str) -> None:
    assert command_of(made(name, arguments)) == command


@pytest.mark.parametrize(
    ("name", "arguments", "kinds"),
    [
        ("edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, ["edit"]),
        ("edit", {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}]}, ["edit"]),
        ("write_file", {"path": "a.py", "content": "x"}, ["edit"]),
        ("apply_patch", {"input": "*** Update File: a.py\n"}, ["edit"]),
        ("apply_patch", "*** Update File: a.py\n", ["edit"]),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, []),
        ("swap_text", {"path": "a.py", "find": "x", "put": "y"}, ["edit"]),
        ("create_event", {"title": "x"}, []),
        ("run_tests", {}, ["test"]),
        ("execute_code", {"code": "1"}, ["run"]),
        ("bash", {"command": "pytest"}, ["test"]),
        ("look", {}, []),
        ("edit", 7, []),
    ],
)
def test_deeds(name: str, arguments: Any, kinds: list[str]) -> None:
    assert [deed.kind for deed in deeds(made(name, arguments))] == kinds


@pytest.mark.parametrize(
    "answer",
    [
        "3 passed, 2 failed",
        "x\nValueError: no",
        "a.c:3: error: x",
        '{"exit_code": 2, "output": ""}',
        "FAILED (errors=1)",
    ],
)
def test_a_check_that_tells_of_a_failure(answer: str) -> None:
    tried = made("bash", {"command": "pytest"}, answer)
    start, end = check_problem(tried) or (0, 0)
    assert tried.answer is not None
    assert tried.answer.text[start:end]


@pytest.mark.parametrize("answer", ["3 passed", "0 failed", "0 errors, 0 warnings", ""])
def test_a_check_that_went_well(answer: str) -> None:
    assert check_problem(made("bash", {"command": "pytest"}, answer)) is None


def test_a_call_without_an_answer_is_no_failure() -> None:
    assert check_problem(attempt(call("bash", {"command": "pytest"})).calls[0]) is None


def test_nothing_found_is_harmless() -> None:
    assert harmless(made("bash", {"command": "grep x y"}, {"exit_code": 1}))
    assert not harmless(made("bash", {"command": "grep x y"}, {"exit_code": 2}))
    assert not harmless(made("bash", {"command": "python a.py"}, {"exit_code": 1}))
    assert not harmless(made("bash", {"command": "grep x y"}, "ok"))


def test_tools_that_run_things() -> None:
    assert all(map(runs_things, ("bash", "execute_code", "run_tests", "terminal")))
    assert not any(map(runs_things, ("edit", "code_search", "book")))
