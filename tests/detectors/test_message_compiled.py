"""Programs that were never compiled: the build was given the message with its fence."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import CLEAN, FIRED, NOT_APPLICABLE, Attempt, attempt, proved, say

from blade.detectors import compile_stage
from blade.detectors.message_compiled import detect
from blade.findings import State

PROGRAM = "n = int(input())\nprint(n + 1)"
SHOWS_FENCE = '  File "/box/work.py", line 1\n    ```Py3\n    ^\nSyntaxError: invalid syntax'
SHOWS_WORDS = '  File "/box/work.py", line 1\n    Here it is, tested.\nSyntaxError: invalid syntax'
SHOWS_CODE = "  File \"/box/work.py\", line 2\n    print(n + 1\n         ^\nSyntaxError: '(' was never closed"


@pytest.mark.parametrize(
    ("message", "log", "line"),
    [
        (f"```Py3\n{PROGRAM}\n```", SHOWS_FENCE, "```Py3"),
        (f"Here it is, tested.\n\n```Py3\n{PROGRAM}\n```\nDone.", SHOWS_WORDS, "Here it is, tested."),
    ],
)
def test_a_build_that_was_given_the_words_around_the_program(message: str, log: str, line: str) -> None:
    made = attempt(say(message), build_stderr=log)
    seen = detect(made)
    assert (seen.state, seen.value) == (FIRED, "Py3")
    assert seen.detail == f"the build took “{line}”, which stands outside the program, for code"
    assert proved(made, seen)
    assert made.final_text[seen.cites[0].start : seen.cites[0].end] == line
    assert compile_stage.detect(made).state is CLEAN, "the program itself was never compiled"


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (attempt(say("```Py3\nprint(n + 1\n```"), build_stderr=SHOWS_CODE), CLEAN),
        (attempt(say(f"Here it is, tested.\n{PROGRAM}"), build_stderr=SHOWS_WORDS), CLEAN),
        (
            attempt(say(f"```Py3\n# Here it is, tested.\n{PROGRAM}\n```"), build_stderr="3 passed in the tests"),
            NOT_APPLICABLE,
        ),
        (attempt(say(f"```Py3\n{PROGRAM}\n```"), note="all well"), NOT_APPLICABLE),
    ],
)
def test_these_stay_quiet(made: Attempt, state: State) -> None:
    seen = detect(made)
    assert seen.state is state
    assert proved(made, seen)


def test_a_line_that_the_program_holds_as_well_proves_nothing() -> None:
    message = "print the next number\n```py\nprint the next number\n```"
    log = '  File "w.py", line 1\n    print the next number\nSyntaxError: invalid syntax'
    made = attempt(say(message), build_stderr=log)
    assert detect(made).state is CLEAN
    assert compile_stage.detect(made).state is FIRED
