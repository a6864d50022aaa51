"""The run's own words for lost rows: sentences that differ in a number are one, and a label is known by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.gym_rows import ABSENT, Json, analysed, only_run, row, write
from tests.questions.made_cases import words

from blade.counting.audit.own_words import own_values
from blade.counting.columns import Column
from blade.model import Analysis
from blade.sections import attempt_audit

TASKS = [str(place // 2) for place in range(20)]
LOST = set(range(6))


def field(values: Sequence[Any], name: str = "note") -> Column:
    different = list(dict.fromkeys(values))
    return Column(name, different, np.arange(len(values)), np.array([different.index(value) for value in values]))


def own(inside: Sequence[Any], outside: Any = "all is well") -> tuple[tuple[str, str, int], ...]:
    """What the six first rows have of their own; task 2 has rows within and without."""
    tasks = [*TASKS[1:6], "9", *TASKS[6:]]
    return own_values(LOST, tasks, [field([*inside, *[outside] * 14])])


def test_sentences_that_differ_in_a_number_are_one_in_the_words_that_they_share() -> None:
    slots = ["slot 3 was lost", "slot 4 was lost", "slot 4 was lost", "slot 5 was lost", "slot 6 was lost", "other"]
    assert own(slots) == (("note", "slot … was lost", 5),)


def test_a_sentence_has_three_words() -> None:
    assert own([f"slot {place} lost" for place in range(6)]) == (("note", "slot … lost", 6),)


def test_the_commonest_is_that_of_these_rows_and_not_of_the_few_others() -> None:
    inside = ["slot 4 was lost", "slot 4 was lost", *[f"slot {place} was lost" for place in range(5, 13)]]
    outside = ["slot 5 was lost"] * 3 + ["all is well"] * 147
    tasks = ["a", "b"] * 80
    assert own_values(set(range(10)), tasks, [field([*inside, *outside])]) == (("note", "slot … was lost", 10),)
    too_many = ["slot 5 was lost"] * 4 + ["all is well"] * 146
    assert own_values(set(range(10)), tasks, [field([*inside, *too_many])]) == ()


def test_values_of_two_words_that_differ_in_a_number_are_several() -> None:
    """A word and a number are a name, and no sentence."""
    assert own([f"slot {place}" for place in range(6)]) == ()
    assert own(["slot 1", "slot 1", *[f"slot {place}" for place in range(2, 6)]]) == (("note", "slot 1", 2),)


def test_a_sentence_that_other_rows_have_with_another_number_is_not_theirs() -> None:
    sentences = [f"slot {place} was lost" for place in range(6)]
    assert own(sentences) == (("note", "slot … was lost", 6),)
    assert own(sentences, "slot 77 was lost") == ()


def test_sentences_of_other_words_are_counted_apart() -> None:
    apart = ["slot 1 was lost", "rack 2 fell over", "lid 3 broke off", "jar 4 went away", "hall 5 burned down", "no"]
    assert own(apart) == ()
    assert own(["slot 1 was lost", "slot 2 was lost", *apart[1:5]]) == (("note", "slot … was lost", 2),)


def lost(task: int, **fields: Any) -> Json:
    return row(task, 0, 0.0, expected_answer=ABSENT, extracted_answer=ABSENT, **fields)


def run_with(folder: Path, fields: Sequence[Mapping[str, Any]], elsewhere: Mapping[str, Any]) -> Path:
    """Four rows that a lost lease broke off, with these fields each, and sixteen that were judged."""
    rows = [row(task, 0, float(task % 2), meta=elsewhere) for task in range(16)]
    for place, meta in enumerate(fields):
        rows.append(lost(16 + place, meta=meta, verifier={"error": "Connection refused"}))
    return write(folder / "run.jsonl", rows)


@pytest.mark.parametrize("name", ["zz_outcome", "zz_stage", "zzEnding", "zz_status"])
def test_of_two_fields_that_tell_as_many_rows_the_one_named_as_a_label_is_the_label(tmp_path: Path, name: str) -> None:
    path = run_with(tmp_path, [{"aa": "k", name: "gone"}] * 4, {"aa": "l", name: "done"})
    assert only_run(path).audit["groups"][0]["status"] == {"field": f"meta.{name}", "values": {"gone": 4}}


def test_of_two_fields_without_such_a_name_the_first_is_the_label(tmp_path: Path) -> None:
    path = run_with(tmp_path, [{"aa": "k", "zz": "gone"}] * 4, {"aa": "l", "zz": "done"})
    assert only_run(path).audit["groups"][0]["status"] == {"field": "meta.aa", "values": {"k": 4}}


def test_a_field_that_tells_more_rows_is_the_label_whatever_it_is_called(tmp_path: Path) -> None:
    fields = [{"aa": "k", "zz_outcome": "gone" if place < 3 else "done"} for place in range(4)]
    path = run_with(tmp_path, fields, {"aa": "l", "zz_outcome": "done"})
    assert only_run(path).audit["groups"][0]["status"] == {"field": "meta.aa", "values": {"k": 4}}


LEAD = "Of the run's other rows hardly any has what these have"


def test_what_a_second_field_says_of_them_stands_beside_the_label(tmp_path: Path) -> None:
    path = run_with(tmp_path, [{"lamp": "red", "zz_outcome": "gone"}] * 4, {"lamp": "green", "zz_outcome": "done"})
    shown = words(attempt_audit.build(analysed(path)))
    assert "Label in the rows (meta.zz_outcome): “gone” in 4." in shown, shown
    assert f"{LEAD}: “red” (meta.lamp) in 4" in shown
    assert "“gone” (meta.zz_outcome)" not in shown


def with_fields(folder: Path, entries: Sequence[Mapping[str, Any]], *, rows: int, lines: Sequence[Json]) -> str:
    """The words of the section where one group has so many rows, these values of its own and these shared lines."""
    analysis: Analysis = analysed(run_with(folder, [{}] * 4, {}))
    (group,) = analysis.runs[0].audit["groups"]
    group |= {"rows": rows, "fields": list(entries), "status": None, "lines": list(lines)}
    return words(attempt_audit.build(analysis))


@pytest.mark.parametrize(
    ("value_rows", "group_rows", "is_shown"),
    [(2, 4, True), (1, 4, False), (4, 4, True), (2, 5, False), (3, 5, True), (1, 1, False), (2, 2, True)],
)
def test_a_value_of_fewer_than_half_of_them_or_of_a_single_row_is_not_shown(
    tmp_path: Path, value_rows: int, group_rows: int, *, is_shown: bool
) -> None:
    entry = {"field": "meta.lamp", "value": "red", "rows": value_rows}
    shown = with_fields(tmp_path, [entry], rows=group_rows, lines=[])
    assert (f"{LEAD}: “red” (meta.lamp) in {value_rows}." in shown) is is_shown
    assert (LEAD in shown) is is_shown


def test_what_a_shared_line_says_is_not_repeated(tmp_path: Path) -> None:
    line = {"line": "red", "rows": 4, "tasks": 4, "holders": [], "first_error": False, "evidence": {}}
    entries = [{"field": field_name, "value": value, "rows": 4} for field_name, value in (("a", "red"), ("b", "cold"))]
    assert f"{LEAD}: “cold” (b) in 4." in with_fields(tmp_path, entries, rows=4, lines=[line])
    again = tmp_path / "again"
    assert f"{LEAD}: “red” (a) in 4; “cold” (b) in 4." in with_fields(again, entries, rows=4, lines=[])
