"""Rows for which a judge wrote nothing, though an answer was read and it writes of nearly all others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.gym_rows import ABSENT, Json, analysed, only_run, row, write
from tests.questions.made_cases import words

from blade.counting.audit.unjudged import blank_records
from blade.counting.columns import Column
from blade.sections import attempt_audit

JUDGED, LACKING = 10, 3
BLANK: Any = ...
"""A row that has no such field at all."""


def field(name: str, values: Sequence[Any]) -> Column:
    places = [place for place, value in enumerate(values) if value is not BLANK]
    different = list(dict.fromkeys(values[place] for place in places))
    return Column(name, different, np.array(places), np.array([different.index(values[place]) for place in places]))


def remarks(*ends: Any, judged: int = JUDGED) -> list[Any]:
    """What the judge wrote on the rows with checks, and on the last ones."""
    return [f"remark {place}" for place in range(judged)] + [None] * (JUDGED - judged) + list(ends)


def blank(*columns: Column, states: Sequence[str] = ("given",) * LACKING) -> list[int]:
    """The rows without a word, counted from the first that lacks its checks."""
    rows = [{"answer_state": "given"}] * JUDGED + [{"answer_state": state} for state in states]
    lacking = set(range(JUDGED, JUDGED + len(states)))
    return sorted(place - JUDGED for place in blank_records(rows, lacking, columns))


@pytest.mark.parametrize("empty", [None, "", BLANK])
def test_a_judge_that_wrote_nothing_judged_nothing(empty: Any) -> None:
    assert blank(field("referee.remark", remarks(empty, empty, empty))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("states", "places"),
    [
        (["given"] * 2, []),  # fewer than three rows
        (["given", "null", "given", "none"], []),  # no answer was read in two of them
        (["given", "null", "given", "given"], [0, 2, 3]),
        (["null"] * 4, []),
    ],
)
def test_only_rows_of_which_an_answer_was_read(states: Sequence[str], places: list[int]) -> None:
    assert blank(field("referee.remark", remarks(*[None] * len(states))), states=states) == places


@pytest.mark.parametrize(
    ("ends", "places"),
    [
        ((None, None, None, "so"), [0, 1, 2]),
        ((None, None, "so", "thus"), []),  # two blank rows
        (("so", "so", "so", "so"), []),
    ],
)
def test_rows_of_which_it_wrote_something_were_judged(ends: Sequence[Any], places: list[int]) -> None:
    assert blank(field("referee.remark", remarks(*ends)), states=["given"] * 4) == places


@pytest.mark.parametrize(
    ("column", "is_told"),
    [
        (field("referee.remark", remarks(*[None] * 3, judged=9)), True),
        (field("referee.remark", remarks(*[None] * 3, judged=8)), False),  # it writes of too few rows with checks
        (field("remark", remarks(*[None] * 3)), False),  # no record of a judge
        (field("referee.name", ["ann"] * JUDGED + [None] * 3), False),  # the same on all rows
        (field("referee.name", ["ann", "bob"] * (JUDGED // 2) + [None] * 3), True),
        (field("referee.seconds", [*range(JUDGED), *[None] * 3]), False),  # no words
        (field("referee.remark", [7, *remarks(*[None] * 3)[1:]]), False),
    ],
)
def test_only_words_of_a_record_that_differ_and_stand_nearly_everywhere(column: Column, *, is_told: bool) -> None:
    assert blank(column) == ([0, 1, 2] if is_told else [])


def test_one_word_anywhere_in_the_record_is_a_word() -> None:
    columns = [
        field("referee.remark", remarks(None, None, None, None)),
        field("referee.grade", remarks("good", None, None, None)),
    ]
    assert blank(*columns, states=["given"] * 4) == [1, 2, 3]
    assert blank(columns[0], field("referee.grade", remarks("good", "bad", None, None)), states=["given"] * 4) == []


def test_words_of_another_holder_are_no_word_of_the_judge() -> None:
    of_the_task = field("task.title", remarks("ash", "birch", "cedar"))
    assert blank(of_the_task) == []
    assert blank(of_the_task, field("referee.remark", remarks(None, None, None))) == [0, 1, 2]
    deeper = field("referee.notes.title", remarks("ash", "birch", "cedar"))
    assert blank(deeper, field("referee.remark", remarks(None, None, None))) == [0, 1, 2]


def test_two_judges_are_held_apart() -> None:
    first = field("referee.remark", remarks(None, None, None, "a", "b", "c", "d"))
    second = field("umpire.remark", remarks("a", "b", "c", "d", None, None, None))
    assert blank(first, second, states=["given"] * 7) == [0, 1, 2, 4, 5, 6]
    assert blank(first, field("umpire.remark", remarks(*"abcde", None, None)), states=["given"] * 7) == [0, 1, 2]


def packed(task: int, attempt: int, reward: float, remark: str, *, has_checks: bool = True, answer: Any = "12") -> Json:
    results = {"lid": True, "shelf": reward == 1.0} if has_checks else ABSENT
    return row(task, attempt, reward, checks=results, referee={"remark": remark}, extracted_answer=answer)


@pytest.mark.parametrize(
    ("remark", "answer", "number", "unjudged"),
    [("", "12", 4, 4), ("The lid of {task} is off.", "12", 4, 0), ("", None, 4, 0), ("", "12", 2, 0)],
)
def test_rows_of_a_file_without_a_word_were_never_judged(
    tmp_path: Path, remark: str, answer: Any, number: int, unjudged: int
) -> None:
    rows = [
        packed(task, attempt, float((task + attempt) % 2), f"Jar {task}.{attempt} is read so.")
        for task in range(12)
        for attempt in range(2)
    ]
    rows += [packed(task, 2, 0.0, remark.format(task=task), has_checks=False, answer=answer) for task in range(number)]
    path = write(tmp_path / "jars.jsonl", rows)
    audit = only_run(path).audit
    assert (audit["not_judged"], audit["unjudged"], audit["judged_failures"]) == (unjudged, number - unjudged, 12)
    shown = words(attempt_audit.build(analysed(path)))
    sentence = "4 rollouts of jars (4 tasks) were never judged: the verifier left no results."
    assert (sentence in shown) is bool(unjudged)
