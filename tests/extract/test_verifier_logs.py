"""Which fields are logs of the verifier, how much of them is read, and at which stage they say that work failed."""

from __future__ import annotations

from typing import Any

import pytest

from blade.evidence import stands
from blade.extract.attempt import Attempt
from blade.extract.logs import Stage, is_log
from blade.extract.row_texts import FIRST, LAST, LONG_TEXT, row_texts

SUMMARY = "E   AssertionError: expected 4, got 5\n=== 1 failed in 2.1s ===\n"


def _row(**fields: Any) -> dict[str, Any]:
    return {"reward": 0.0, "generated_code": "x = 1", "response": {"output": []}, **fields}


def _stage(row: dict[str, Any]) -> Stage:
    found = Attempt(row).stage
    assert isinstance(found, Stage)
    return found


def test_the_summary_at_the_end_of_a_long_log_is_read_and_its_place_is_exact() -> None:
    log = "collecting tests of the suite\n" + "ok: another line of a long log\n" * 5_000 + SUMMARY
    row = _row(test_log=log)
    stage = _stage(row)
    assert (stage.kind, stage.error) == ("assertion", "AssertionError")
    assert log[stage.start : stage.end] == "E   AssertionError: expected 4, got 5"
    assert stands(row, Attempt(row).cite_field(stage.field, None, stage.start, stage.end))


def test_the_beginning_of_a_long_log_is_still_read() -> None:
    log = "main.c:3: error: expected ';'\n" + "make: waiting for other jobs\n" * 5_000
    assert _stage(_row(build_log=log)).kind == "compile"


def test_both_ends_of_a_long_text_come_with_their_places() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    head, tail = row_texts({"log": text})
    assert text.startswith(head.text)
    assert len(head.text) == LONG_TEXT
    assert text[tail.start :] == tail.text
    assert tail.text.startswith("line ")
    assert LONG_TEXT - 20 < len(tail.text) <= LONG_TEXT
    assert [one.text for one in row_texts({"log": text[: 2 * LONG_TEXT]})] == [text[: 2 * LONG_TEXT]]
    unbroken = "x" * (3 * LONG_TEXT)
    assert [(len(one.text), one.start) for one in row_texts({"log": unbroken})] == [
        (LONG_TEXT, 0),
        (LONG_TEXT, 2 * LONG_TEXT),
    ]


def test_both_ends_of_a_long_list_are_read() -> None:
    names = [one.name for one in row_texts({"log": [f"line {number}" for number in range(100)]})]
    assert names == [f"log.{place}" for place in (*range(FIRST), *range(100 - LAST, 100))]


@pytest.mark.parametrize(
    ("name", "log"),
    [
        ("code_execution.stderr", True),
        ("code_tests.log.3", True),
        ("verifier.sql_error", True),
        ("patch_log", True),
        ("solution.stdout", True),
        ("error_code", False),
        ("messages.code", False),
        ("details.patch", False),
        ("log.code.2", False),
        ("generated_code.message", False),
        ("agent.stderr", False),
        ("expected.error", False),
    ],
)
def test_a_field_is_no_log_because_of_its_own_name_and_not_because_its_path_speaks_of_code(
    name: str, log: bool
) -> None:
    assert is_log(name) is log


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("['iverilog', '-o', 'sim.vvp', 'top.v']", "iverilog"),
        ("['/usr/bin/g++', '-O2', 'main.cpp']", "g++"),
        ("'cd /work && verilator --lint-only top.v'", "verilator"),
        ("['vvp', 'sim.vvp']", "vvp"),
        ("['bash', '-c', 'ghdl -a top.vhd']", "ghdl"),
    ],
)
def test_a_compiler_or_simulator_that_a_harness_calls_is_the_compile_stage(command: str, error: str) -> None:
    raised = f"subprocess.CalledProcessError: Command '{command}' returned non-zero exit status 2."
    stage = _stage(_row(test_stderr=f"Traceback (most recent call last):\n{raised}\n"))
    assert (stage.kind, stage.error) == ("compile", error)


def test_another_command_that_a_harness_calls_is_not() -> None:
    raised = "subprocess.CalledProcessError: Command '['tar', 'xf', 'gcc.tar']' returned non-zero exit status 2."
    assert Attempt(_row(test_stderr=f"Traceback (most recent call last):\n{raised}\n")).stage is None


@pytest.mark.parametrize("word", ["EXECUTION_ERROR", "execution_error", "RUNTIME_ERROR"])
def test_a_class_that_the_verifier_names_is_no_crash(word: str) -> None:
    """It may stand for every result that differs; what it means is not printed."""
    assert not isinstance(Attempt(_row(verifier_error=word)).stage, Stage)
    assert _stage(_row(verifier_error="RuntimeError: no such table")).kind == "runtime"


FAILED_TEST = """\
=== FAILURES ===
___ test_jar ___

    def test_jar():
        built = build()
        assert built.code == 0, (
            f"Compilation failed: {built.stderr}"
        )
>       assert "lid" in built.stdout, (
            "Wrong output"
        )
E       AssertionError: Wrong output

/tests/test_jar.py:9: AssertionError
"""


@pytest.mark.parametrize("begin", [0, FAILED_TEST.index("        assert built")])
def test_the_code_that_a_traceback_shows_is_not_read_as_something_that_happened(begin: int) -> None:
    log = FAILED_TEST[begin:]
    stage = _stage(_row(test_log=log))
    assert (stage.kind, log[stage.start : stage.end]) == ("assertion", "E       AssertionError: Wrong output")


def test_what_a_test_printed_and_what_its_error_says_is_read() -> None:
    captured = FAILED_TEST + "--- Captured stdout call ---\n    jar.c:3: error: expected ';'\n"
    assert _stage(_row(test_log=captured)).kind == "compile"
    message = FAILED_TEST.replace("Error: Wrong output", "Error: Compilation failed: jar.c")
    assert _stage(_row(test_log=message)).kind == "compile"


def test_the_code_below_a_file_of_a_traceback_is_not_read() -> None:
    log = (
        'Traceback (most recent call last):\n  File "jar.py", line 3, in fill\n'
        '    raise ValueError("Compilation failed")\nValueError: no lid\n'
    )
    assert _stage(_row(test_log=log)).kind == "runtime"
