"""What two failures of one kind have in common."""

from __future__ import annotations

import pytest
from tests.detectors.attempts import attempt, call

from blade.extract.error_class import error_class, says_nothing
from blade.extract.records import found_nothing, holds_nothing, record_id, records


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("KeyError: 'seat'", "KeyError"),
        ("No such file /a/b.txt", "no such file"),
        ("order 'A1' of 2031-01-01 is closed", "order # of # is closed"),
        ("{'error': 'bad seat'}", "error: bad seat"),
        ("3/4 checks failed", "checks failed"),
        ("", ""),
    ],
)
def test_classes(message: str, kind: str) -> None:
    assert error_class(message) == kind


@pytest.mark.parametrize("message", ["", "exit code 1", "exit_code: 2", "success is false", "Error"])
def test_messages_without_a_reason(message: str) -> None:
    assert says_nothing(message)


@pytest.mark.parametrize("message", ["no such seat", "error: taken", "exit code 1: no such file"])
def test_messages_with_a_reason(message: str) -> None:
    assert not says_nothing(message)


@pytest.mark.parametrize(
    "text", ["", " ", "[]", "{}", "null", "None", '{"output": []}', '{"a": {"b": []}}', '{"x": ""}']
)
def test_nothing(text: str) -> None:
    assert holds_nothing(text)
    assert found_nothing(text)


@pytest.mark.parametrize("text", ["0", "false", '{"a": 0}', '{"a": 1, "b": []}', "[0]", "ok"])
def test_something(text: str) -> None:
    assert not holds_nothing(text)


def test_records() -> None:
    assert [record_id(one) for one in records('{"result": {"rows": [{"orderId": "x1"}, {"orderId": 42}]}}')] == [
        "x1",
        "42",
    ]
    assert records("no json") == []
    assert record_id({"name": "Ann"}) == ""


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("Error: taken", "Error: taken"),
        ('{"output": "x", "exit_code": 2}', '"exit_code": 2'),
        ('{"success": false}', '"success": false'),
    ],
)
def test_a_problem_is_quoted_shortly(answer: str, quote: str) -> None:
    made = attempt(call("book", {}, answer))
    assert [cite.quote for cite in made.cite_problem(made.calls[0])] == [quote]
