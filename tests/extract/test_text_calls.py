"""Calls written as text become calls; what a person or a model merely shows does not."""

from __future__ import annotations

from typing import Any

import pytest

from blade.extract.transcript import arguments_value, output_steps

Turn = tuple[str, str]


def steps(*turns: Turn) -> list[tuple[str, str, Any]]:
    """Kind, name or text, arguments of every step behind turns of (role, text)."""
    items = [{"type": "message", "role": role, "content": text} for role, text in turns]
    return [
        (step.kind.value, step.name or step.text, arguments_value(step.arguments))
        for step in output_steps({"output": items})
    ]


JSON_ACTION = (
    ("assistant", 'Action:\n{"name": "find_guest", "arguments": {"email": "ada@example.test"}}\n'),
    ("user", "API output: guest_7"),
    ("assistant", 'Action:\n{"name": "respond", "arguments": {"content": "Which room would you like?"}}'),
    ("user", "The blue one."),
    ("assistant", 'Action:\n{"name": "book_room", "arguments": {"guest": "guest_7", "room": "blue"}}'),
    ("user", "API output: booked"),
)


def test_a_json_action_is_a_call_and_its_answer_an_output() -> None:
    assert steps(*JSON_ACTION) == [
        ("call", "find_guest", {"email": "ada@example.test"}),
        ("output", "API output: guest_7", None),
        ("message", "Which room would you like?", None),
        ("user", "The blue one.", None),
        ("call", "book_room", {"guest": "guest_7", "room": "blue"}),
        ("output", "API output: booked", None),
    ]


def test_an_object_that_is_shown_before_the_call_does_not_hide_it() -> None:
    shown = '```json\n{"email": "ada@example.test"}\n```\n' + JSON_ACTION[0][1]
    told = steps(("assistant", shown), *JSON_ACTION[1:])
    assert ("call", "find_guest", {"email": "ada@example.test"}) in told
    assert told[0] == ("message", '```json\n{"email": "ada@example.test"}\n```\nAction:', None)
    many = '{"a": 1} ' * 4 + JSON_ACTION[0][1]
    assert ("call", "find_guest", {"email": "ada@example.test"}) not in steps(("assistant", many), *JSON_ACTION[1:])


def test_the_arguments_are_those_that_stand_in_the_row_to_the_letter() -> None:
    text = 'Action:\n{"name": "find", "arguments": {"email":   "ada"}}'
    items = [{"type": "message", "role": role, "content": text} for role in ("assistant", "user", "assistant")]
    items[1] = {"type": "message", "role": "user", "content": "Result: none"}
    first = output_steps({"output": items})[0]
    assert first.arguments == '{"email":   "ada"}'
    assert first.arguments in text


@pytest.mark.parametrize(
    ("message", "name", "arguments"),
    [
        ('<tool_call>\n{"name": "look", "arguments": {"at": 3}}\n</tool_call>', "look", {"at": 3}),
        ("<function=edit><parameter=path>a.py</parameter></function>", "edit", {"path": "a.py"}),
        ("<execute_command>ls -l</execute_command>", "execute_command", {"content": "ls -l"}),
        ("THOUGHT: look around\n\n```bash\nls -l\n```", "bash", {"command": "ls -l"}),
        ("Thought: I need it.\nAction: Search[Mars]", "Search", {"input": "Mars"}),
        ("Action: search\nAction Input: Mars moons", "search", {"input": "Mars moons"}),
        ('{"tool": "look", "args": {"at": 3}}', "look", {"at": 3}),
        ("[look(at=3)]", "look", {"at": 3}),
        ("```python\n[shelf.look(at=[1, 2])]\n```", "shelf.look", {"at": [1, 2]}),
        ("[look()]", "look", {}),
    ],
)
def test_every_style_is_read(message: str, name: str, arguments: dict[str, Any]) -> None:
    told = steps(("assistant", message), ("user", "total 0"), ("assistant", message), ("user", "total 0"))
    assert [(kind, what, given) for kind, what, given in told if kind == "call"] == [("call", name, arguments)] * 2
    assert [kind for kind, *_ in told if kind in {"output", "user"}] == ["output", "output"]


def test_words_before_a_call_stay_the_models_words() -> None:
    told = steps(
        ("assistant", "I look first.\n```bash\nls\n```"),
        ("user", "a b"),
        ("assistant", "```sh\ncat a\n```"),
        ("user", "x"),
    )
    assert told[0] == ("message", "I look first.", None)
    assert told[1] == ("call", "bash", {"command": "ls"})


def test_a_command_shown_to_a_person_now_and_then_is_no_call() -> None:
    turns = [
        ("assistant", "Hello."),
        ("user", "How do I list?"),
        ("assistant", "Try:\n```bash\nls\n```"),
        ("user", "Ok."),
    ]
    turns += [("assistant", "Anything else?"), ("user", "No.")]
    assert {kind for kind, *_ in steps(*turns)} == {"message", "user"}


@pytest.mark.parametrize(
    "text",
    [
        'The record is {"name": "Ada", "age": 36}.',
        "<b>bold</b> words",
        '{"name": "two words", "arguments": {"a": 1}}',
        "{",
    ],
)
def test_objects_and_markup_that_call_nothing_stay_text(text: str) -> None:
    assert {kind for kind, *_ in steps(("assistant", text), ("user", "Ok."), ("assistant", text))} == {
        "message",
        "user",
    }


def test_a_rollout_with_real_calls_is_left_alone() -> None:
    items = [
        {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c1"},
        *({"type": "message", "role": role, "content": text} for role, text in JSON_ACTION),
    ]
    assert [step.kind.value for step in output_steps({"output": items})][:3] == ["call", "message", "user"]


def test_answers_without_a_common_beginning_answer_the_call_before_them() -> None:
    look = '{"name": "look", "arguments": {}}'
    ask = '{"name": "ask_user", "arguments": {"question": "Where?"}}'
    told = steps(("assistant", look), ("user", "a door"), ("assistant", ask), ("user", "There."), ("assistant", look))
    assert [kind for kind, *_ in told] == ["call", "output", "message", "user", "call"]


def test_a_call_that_the_harness_passed_on_to_the_user_stays_words() -> None:
    fenced = '```json\n{"name": "book_room", "arguments": {"guest": "guest_7", "room": "red"}}\n```'
    turns = (*JSON_ACTION, ("assistant", fenced), ("user", "Yes, and then? I would like to have the red room."))
    assert steps(*turns)[-2:] == [
        ("message", fenced, None),
        ("user", "Yes, and then? I would like to have the red room.", None),
    ]
    assert steps(*turns[:-1])[-1][:2] == ("call", "book_room"), "nothing came after it: it may have been taken"


def test_a_list_of_calls_is_several_calls_with_one_answer() -> None:
    told = steps(
        ("assistant", "[look(at=3), take(what='jar', many=-1)]"),
        ("user", '["three jars", "taken"]'),
        ("assistant", "[look(at=4)]"),
        ("user", '["none"]'),
        ("assistant", "All done."),
    )
    assert [(kind, what, given) for kind, what, given in told if kind == "call"] == [
        ("call", "look", {"at": 3}),
        ("call", "take", {"what": "jar", "many": -1}),
        ("call", "look", {"at": 4}),
    ]
    assert [what for kind, what, _ in told if kind == "output"] == ['["three jars", "taken"]'] * 2 + ['["none"]']


@pytest.mark.parametrize("text", ["[1, 2, 3]", "[look(at=3), 4]", "Use [look(at=3)] for it.", "[note (see below)]"])
def test_a_list_that_holds_more_than_calls_stays_text(text: str) -> None:
    told = steps(("assistant", text), ("user", "Go on."), ("assistant", text), ("user", "Go on."))
    assert "call" not in {kind for kind, *_ in told}
