"""A text that the model wrote itself is no log of the verifier, wherever a row repeats it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import Json, message, response, row

from blade.counting.audit.recurring import verifier_log

OWN = 'I count the "lids" first\nthen I count the jars\nand then I stop counting'
LOG = "4 jars\n5 lids"


def jars(*output: Any, **fields: Any) -> Json:
    return row(0, 0, 0.0, response=response(*output), **fields)


def log_texts(rollout: Json) -> list[tuple[str, str]]:
    return [(part.name, part.text) for part in verifier_log(rollout)]


@pytest.mark.parametrize("copy", [OWN, f"\n{OWN}\n", OWN.partition("\n")[2]], ids=["whole", "with blanks", "its end"])
def test_a_copy_of_what_the_model_says_is_left_out(copy: str) -> None:
    assert log_texts(jars(message(f"So: {OWN}."), plan=copy, log=LOG)) == [("log", LOG)]
    assert log_texts(jars(message(OWN), plan=copy)) == []


def test_a_value_of_the_json_that_the_model_writes_is_left_out() -> None:
    plan = r'{"plan": "I count the \"lids\" first\nthen I count the jars\nand then I stop counting"}'
    assert log_texts(jars(message(plan), plan=OWN, log=LOG)) == [("log", LOG)]


def test_what_the_model_does_not_say_is_the_log_by_its_length() -> None:
    assert log_texts(jars(message("I count."), plan=OWN, log=LOG)) == [("plan", OWN)]
    assert log_texts(jars(message(OWN), plan=f"{OWN}\nsays the verifier", log=LOG)) == [
        ("plan", f"{OWN}\nsays the verifier")
    ]


def test_what_a_tool_answered_is_not_the_models() -> None:
    count = {"type": "function_call", "name": "count", "arguments": "{}", "call_id": "c"}
    answer = {"type": "function_call_output", "call_id": "c", "output": OWN}
    assert log_texts(jars(count, answer, message("So."), screen=OWN, log=LOG)) == [("screen", OWN)]
