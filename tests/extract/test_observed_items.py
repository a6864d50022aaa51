"""Rows whose output is empty are read from what an observer saw."""

from __future__ import annotations

from typing import Any

import pytest
from tests.gym_rows import message

from blade.evidence import stands
from blade.extract.attempt import Attempt
from blade.extract.observed_items import observed_items
from blade.extract.row import rollout_facts
from blade.model import StepKind
from blade.trajectory import parts

Json = dict[str, Any]
ASKED = {"role": "user", "content": "Find the note of Ann."}
CALL = {"type": "function_call", "name": "find_note", "arguments": '{"name": "Ann"}', "call_id": "c1"}
TOOL = {"kind": "tool_call", "invocation_id": "i", "tool_call_id": "c1", "tool_name": "find_note", "output": "the note"}
THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look for it."}]}
FINAL = message("Here is the note.")
CHAT: list[Json] = [
    {"choices": [{"message": {"content": None, "reasoning_content": "I look for it.", "tool_calls": [
        {"id": "c1", "function": {"name": "find_note", "arguments": '{"name": "Ann"}'}}]}}]},
    {"choices": [{"message": {"role": "assistant", "content": "Here is the note."}}]},
]  # fmt: skip
MESSAGES: list[Json] = [
    {"content": [{"type": "thinking", "thinking": "I look for it."},
                 {"type": "tool_use", "id": "c1", "name": "find_note", "input": {"name": "Ann"}}]},
    {"content": [{"type": "text", "text": "Here is the note."}]},
]  # fmt: skip
RESPONSES: list[Json] = [{"output": [THOUGHT, CALL]}, {"output": [FINAL]}]


def _row(trajectory: Json, **fields: Any) -> Json:
    request = {"input": [ASKED]}
    return {"reward": 0.0, "responses_create_params": request, "ng_trajectory": trajectory, **fields}


def _calls(payloads: list[Json]) -> Json:
    return {"model_calls": [{"model_call_id": str(n), "response": one} for n, one in enumerate(payloads)],
            "tool_calls": [TOOL]}  # fmt: skip


def _conversation(*items: Json, **fields: Any) -> Json:
    return {"invocations": [{"kind": "agent_invocation", "invocation_id": "i", "conversation": list(items), **fields}]}


WHOLE = _conversation(
    ASKED, THOUGHT, CALL, {"type": "function_call_output", "call_id": "c1", "output": "the note"}, FINAL
)
WAYS = {
    "conversation": WHOLE,
    "conversation without outputs": _conversation(ASKED, THOUGHT, CALL, FINAL) | {"tool_calls": [TOOL]},
    "responses": _calls(RESPONSES),
    "chat": _calls(CHAT),
    "messages": _calls(MESSAGES),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("response", [{"output": []}, {"output": None}, None])
def test_an_empty_output_is_read_from_the_trajectory(way: str, response: Json | None) -> None:
    row = _row(WAYS[way], response=response)
    attempt = Attempt(row)
    assert [(step.kind.value, step.text) for step in attempt.steps] == [
        ("thought", "I look for it."),
        ("call", ""),
        ("output", "the note"),
        ("message", "Here is the note."),
    ]
    assert [(call.name, call.arguments) for call in attempt.calls] == [("find_note", {"name": "Ann"})]
    assert attempt.calls[0].answer is attempt.steps[2]
    facts = rollout_facts(attempt)
    assert (facts["messages"], facts["calls"], facts["outputs"], facts["final_chars"]) == (1, 1, 1, 17)
    assert facts["items"] >= 3
    assert facts["output_hash"] is not None
    assert stands(row, attempt.cite_final(0, 4))
    assert parts(row)[-1].text == "Here is the note."


def test_the_turns_are_read_where_there_is_nothing_else() -> None:
    turns = [
        {"invocation_id": "i", "turn_no": 2, "timestamp": 20.0, "question": "And Bob's?", "answer": "There is none."},
        {"invocation_id": "i", "turn_no": 1, "timestamp": 10.0, "question": "Ann's note?", "answer": "Here it is.",
         "reasoning_content": "I look."},
    ]  # fmt: skip
    tools = [{**TOOL, "started_at": 12.0}, {**TOOL, "tool_call_id": "c2", "started_at": 21.0, "output": "nothing"}]
    steps = Attempt(_row({"turns": turns, "tool_calls": tools}, response={"output": []})).steps
    assert [(step.kind.value, step.text or step.name) for step in steps] == [
        ("thought", "I look."),
        ("call", "find_note"),
        ("output", "the note"),
        ("message", "Here it is."),
        ("user", "And Bob's?"),
        ("call", "find_note"),
        ("output", "nothing"),
        ("message", "There is none."),
    ]


def test_an_output_that_is_there_comes_before_the_trajectory() -> None:
    row = _row(WHOLE, response={"output": [message("Another one.")]})
    assert [step.text for step in Attempt(row).steps] == ["Another one."]


def test_what_a_subagent_said_is_not_the_attempts() -> None:
    child = {"invocation_id": "j", "parent_invocation_id": "i", "conversation": [message("Inner words.")]}
    both = {"invocations": [child, *WHOLE["invocations"]]}
    assert "Inner words." not in [step.text for step in Attempt(_row(both, response={"output": []})).steps]


@pytest.mark.parametrize(
    "odd", [None, [], 3, {}, {"gaps": [1]}, {"invocations": [1], "turns": [{}], "tool_calls": [2]}]
)
def test_an_odd_trajectory_holds_nothing(odd: Any) -> None:
    assert observed_items(odd) == []
    assert Attempt(_row(odd, response={"output": []})).steps == []


def test_a_user_who_is_played_in_the_conversation_is_a_user() -> None:
    told = _conversation(ASKED, message("Which Ann?"), {"role": "user", "content": "Ann Lee."}, FINAL)
    kinds = [step.kind for step in Attempt(_row(told, response={"output": []})).steps]
    assert kinds == [StepKind.MESSAGE, StepKind.USER, StepKind.MESSAGE]
