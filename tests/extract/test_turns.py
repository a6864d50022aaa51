"""How many turns the model took, in whatever way a harness writes a message and its calls."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import message, response, row
from tests.questions.made_cases import called

from blade.extract.attempt import Attempt
from blade.extract.row import _turns

THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Let me look."}]}
CALL, OUTPUT = called("bash", {"command": "ls"}, "a.txt")


@pytest.mark.parametrize(
    ("items", "turns"),
    [
        ([message("I look."), CALL, OUTPUT, message("I read."), CALL, OUTPUT, message("Done.")], 3),
        ([THOUGHT, message("I look."), CALL, OUTPUT, message("Done.")], 2),
        ([THOUGHT, CALL, CALL, OUTPUT, OUTPUT, THOUGHT, message("Done.")], 2),
        ([CALL, OUTPUT, CALL, OUTPUT], 2),
        ([message("I look."), CALL, message("I read."), CALL, CALL], 3),
        ([message("I look."), message("I read."), message("Done.")], 3),
        ([message("I look."), message("Which one?", "user"), message("Done.")], 2),
        ([message("  "), CALL, OUTPUT], 1),
        ([], 0),
    ],
)
def test_a_message_and_its_calls_are_one_turn(items: list[Any], turns: int) -> None:
    assert _turns(Attempt(row(0, response=response(*items)))) == turns
