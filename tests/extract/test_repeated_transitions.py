"""Transitions that repeat the whole conversation: what stands in each of them was done once."""

from __future__ import annotations

from typing import Any

from blade.extract.transcript import output_steps
from blade.model import StepKind

ASKED = {"type": "message", "role": "user", "content": "What is 12 times 5?"}
CALL = {"type": "function_call", "name": "calculator", "arguments": "{}", "call_id": "c1"}
ANSWER = {"type": "function_call_output", "call_id": "c1", "output": "60"}
LAST = {"type": "message", "role": "assistant", "content": "It is 60."}


def kinds(*transitions: list[Any]) -> list[tuple[StepKind, int]]:
    return [(step.kind, step.item) for step in output_steps({"output": list(transitions)})]


def test_lists_that_each_begin_with_the_one_before_are_read_once() -> None:
    both = kinds([ASKED, CALL, ANSWER], [ASKED, CALL, ANSWER, LAST])
    assert [kind for kind, _ in both].count(StepKind.CALL) == 1
    assert {item for _, item in both} == {1}, "quotes must point to the list that was read"


def test_lists_that_go_on_from_one_another_are_all_read() -> None:
    apart = kinds([ASKED, CALL, ANSWER], [CALL, ANSWER, LAST])
    assert [kind for kind, _ in apart].count(StepKind.CALL) == 2
    assert {item for _, item in apart} == {0, 1}
