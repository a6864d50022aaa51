"""Checks that are never met together: told of tasks that nobody passes and whose checks can each be met."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.questions.made_cases import case, causes, run_of, words

from blade.diagnosis.cases import Case
from blade.questions import never_together


def checked(*verdicts: str, task: int = 1, passed: bool = False) -> list[Case]:
    """A rollout for each text: "+-" meets the first check and misses the second."""
    names = ("erased", "untouched", "named")
    return [
        replace(
            case(task, passed=passed, attempt=attempt),
            checks_json=json.dumps({name: mark == "+" for name, mark in zip(names, marks, strict=False)}),
        )
        for attempt, marks in enumerate(verdicts)
    ]


def told(cases: list[Case]) -> str:
    answer = never_together.ask([run_of("a", cases)])
    return words(never_together.tell(answer)) if answer else ""


def test_the_pair_that_most_rollouts_meet_by_halves_is_named() -> None:
    text = (
        "1 task that no run passes has checks of which each is met by some rollout, but two never by the same: they "
        "may ask for opposite things, work may be done by halves, or chance keeps them apart.\n"
        "1: of 6 rollouts 3 meet “erased” and 2 “untouched”, none both."
    )
    assert told(checked("+-+", "+-+", "+-+", "-++", "-+-", "--+")) == text


@pytest.mark.parametrize(
    "cases",
    [
        checked("+-", "+-", "+-", "-+"),  # too few
        checked("+-", "+-", "+-", "-+", "++"),  # both are met by one
        checked("+-", "+-", "+-", "+-", "+-"),  # one is met by nobody
        checked("+-", "+-", "+-", "-+", "-++"),  # not all were judged by the same checks
        [*checked("+-", "+-", "+-", "-+", "-+"), *checked("++", passed=True)],  # somebody passes
    ],
)
def test_nothing_is_told_where_one_check_or_too_little_says_it(cases: list[Case]) -> None:
    assert told(cases) == ""


def test_what_chance_hardly_keeps_apart_is_the_tasks_fault() -> None:
    answer = never_together.ask([run_of("a", checked(*["+-"] * 6, *["-+"] * 6))])
    assert answer is not None
    reason = "no rollout meets “erased” and “untouched” together, and many meet either"
    assert causes(answer) == [("TI", reason, 12)]
    few = never_together.ask([run_of("a", checked("+-", "+-", "+-", "-+", "-+"))])
    assert few is not None
    assert causes(few) == []
