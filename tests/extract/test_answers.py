"""Which call an output answers, where ids repeat, are missing or are unknown."""

from __future__ import annotations

import pytest

from blade.extract.answers import answered_calls
from blade.extract.calls import calls_of
from blade.model import Step, StepKind


def steps(told: str) -> list[Step]:
    """`look:1 >1` is a call of `look` with the id 1 and an output with that id; `.` is a message."""
    made = []
    for word in told.split():
        if word == ".":
            made.append(Step(StepKind.MESSAGE, 0, "well"))
        elif word.startswith(">"):
            made.append(Step(StepKind.OUTPUT, 0, "fine", call_id=word[1:]))
        else:
            name, _, call_id = word.partition(":")
            made.append(Step(StepKind.CALL, 0, name=name, arguments="{}", call_id=call_id))
    return made


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("look:1 >1 . book:1 >1", ["look", "book"]),  # numbered anew in each turn
        ("look:1 . book:1 >1", ["book"]),  # the first was never answered
        ("look:1 . book:1 >1 . >1", ["look", "book"]),
        ("look:1 >1 . pay:1 book:1 >1 >1", ["look", "pay", "book"]),  # two at once under one id
        ("look:1 book:2 >2 >1", ["book", "look"]),
        ("look:1 >1 book:2 >2 >1", ["look", "book", "look"]),  # a second answer to the first
        ("look: book: > >", ["look", "book"]),  # no ids at all
        ("look: > book:2 >", ["look", "book"]),
        ("look:1 book:2 >9", ["book"]),  # an id that no call has
        (">1 look:1", []),
    ],
)
def test_an_output_answers_the_nearest_open_call_of_its_id(told: str, names: list[str]) -> None:
    given = steps(told)
    pairs = answered_calls(given)
    assert [given[pairs[place]].name for place in sorted(pairs)] == names


def test_a_failure_is_charged_to_the_call_that_failed_though_ids_repeat() -> None:
    given = steps("look:1 book:1 >1 >1")
    given[2] = Step(StepKind.OUTPUT, 0, "Error: no such room", call_id="1")
    assert [(call.name, call.failed, len(call.answers)) for call in calls_of(given)] == [
        ("look", True, 1),
        ("book", False, 1),
    ]
