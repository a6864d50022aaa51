"""Notes on rollouts: what is refused, what the report and the questions make of them, and how far they reach."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Done, blade
from tests.gym_rows import message, response, row, write
from tests.queries.small_runs import write_pair

import blade as engine

Note = Callable[..., Done]
QUOTE = ("--quote", "I cannot search for rooms.")


@pytest.fixture
def late(tmp_path: Path) -> Path:
    return write_pair(tmp_path / "runs")[1]


@pytest.fixture
def note(late: Path, tmp_path: Path) -> Note:
    return lambda task, *words, author="ann": blade("note", late, task, "--author", author, *words, folder=tmp_path)


def readings(*paths: Path, **options: Any) -> list[dict[str, Any]]:
    analysis = engine.analyze(*paths, options=engine.Options(cache=False, **options))
    return [dict(reading) for reading in analysis.readings]


def test_a_note_stands_beside_the_run_and_is_listed(note: Note, late: Path) -> None:
    done = note("desk-1", "--label", "BI", "--mechanism", "denies what its tool can do", "--blame", "model", *QUOTE)
    assert done.returncode == 0, done.stderr
    assert "late desk-1 #0: BI, denies what its tool can do, by model (ann)" in done.stdout
    (entry,) = map(json.loads, (late.parent / "annotations.jsonl").read_text().splitlines())
    assert (entry["run"], entry["task"], entry["attempt"], entry["label"]) == ("late", "desk-1", 0, "BI")
    assert "desk-1 #0: BI" in blade("note", late, "--list").stdout


@pytest.mark.parametrize(
    ("task", "words", "message_of_refusal"),
    [
        (
            "desk-1",
            ("--label", "BI", "--quote", "I cannot search for planes."),
            "The quote does not stand in attempt 0",
        ),
        ("desk-1", ("--label", "BI"), "The note has no quote."),
        ("desk-1", ("--label", "XX", *QUOTE), "No label is 'XX'."),
        ("desk-1", ("--blame", "weather", *QUOTE), "Nobody is 'weather'."),
        ("desk-1", QUOTE, "The note says nothing."),
        ("desk-0", ("--label", "BI", "--quote", "I have booked it."), "Attempt 0 of 'desk-0' passed"),
        ("desk-9", ("--label", "BI", *QUOTE), "No rollout of a task 'desk-9'"),
    ],
)
def test_what_cannot_be_true_of_the_rollout_is_refused(
    note: Note, late: Path, task: str, words: tuple[str, ...], message_of_refusal: str
) -> None:
    done = note(task, *words)
    assert done.returncode == 2
    assert message_of_refusal in done.stderr
    assert not (late.parent / "annotations.jsonl").exists()


def test_a_quote_may_leave_words_out_and_a_label_of_too_little_evidence_needs_none(note: Note) -> None:
    assert note("desk-1", "--label", "BI", "--quote", "I cannot … for rooms.").returncode == 0
    assert note("desk-1", "--label", "BI", "--quote", "for rooms … I cannot").returncode == 2
    assert note("desk-1", "--label", "IE").returncode == 0


def test_a_note_overrules_the_label_of_the_engine(note: Note, late: Path) -> None:
    before = engine.analyze(late, options=engine.Options(cache=False))
    assert not before.readings
    assert {label.task: label.labels for label in before.labels}["desk-1"] != ("KG",)
    for attempt in ("0", "1"):
        note("desk-1", "--attempt", attempt, "--label", "KG", "--mechanism", "Does not know the hotel", *QUOTE)
    after = engine.analyze(late, options=engine.Options(cache=False))
    (label,) = (label for label in after.labels if label.task == "desk-1")
    assert (label.labels, label.rule) == (("KG",), "read")
    assert label.why == "read by ann: Does not know the hotel"
    others = [(label.task, label.labels) for label in before.labels if label.task != "desk-1"]
    assert others == [(label.task, label.labels) for label in after.labels if label.task != "desk-1"]
    text = engine.render(engine.report(after))
    assert "2 of 3 failures of `late` that ran and were judged were read (66.7%), 0 of them in full, by ann." in text
    assert "1 of these labels was given by readers of the rollouts, the others by rules." in text
    assert "The rollouts read were chosen, not sampled" in text


def test_one_of_many_attempts_gets_a_label_of_its_own(tmp_path: Path) -> None:
    rows = [row(0, number, 0.0, response=response(message(f"word {number}"))) for number in range(3)]
    path = write(tmp_path / "a.jsonl", rows)
    blade("note", path, "0", "--attempt", "1", "--label", "DA", "--quote", "word 1", "--author", "ann")
    analysis = engine.analyze(path, options=engine.Options(cache=False))
    assert all("DA" not in label.labels for label in analysis.labels)
    assert [(label.attempt, label.labels) for label in analysis.rollout_labels if label.rule == "read"] == [
        (1, ("DA",))
    ]


def test_the_last_word_of_an_author_counts_and_two_authors_agree_or_not(note: Note, late: Path) -> None:
    note("desk-1", "--label", "KG", *QUOTE)
    note("desk-1", "--label", "BI", *QUOTE)
    note("desk-1", "--label", "BI", *QUOTE, author="bob")
    note("desk-1", "--attempt", "1", "--label", "BI", *QUOTE)
    note("desk-1", "--attempt", "1", "--label", "TI", *QUOTE, author="bob")
    (reading,) = readings(late)
    assert reading["labels"][0]["label"] == "BI"
    assert reading["labels"][0]["read"] == 1
    (pair,) = reading["agreement"]
    assert (pair["authors"], pair["rollouts"], pair["same"], pair["kappa"]) == (["ann", "bob"], 2, 1, 0.0)
    text = engine.render(engine.report(engine.analyze(late, options=engine.Options(cache=False))))
    assert "ann and bob give the same label to 1 of 2 rollouts (Cohen's kappa 0.00)." in text


def test_doubts_about_verdicts_are_counted_apart(note: Note, late: Path) -> None:
    note("desk-0", "--verdict-wrong", "--label", "TI", "--mechanism", "books any room", "--quote", "I have booked it.")
    note("desk-1", "--verdict-wrong", *QUOTE)
    (reading,) = readings(late)
    assert reading["verdict_wrong"] == {"failures": 1, "passes": 1}
    assert reading["passes_read"] == 1
    (mechanism,) = reading["mechanisms"]
    assert (mechanism["mechanism"], mechanism["read"], mechanism["passes"]) == ("books any room", 0, 1)


def test_notes_hold_under_another_name_of_the_run_and_not_for_a_changed_row(note: Note, late: Path) -> None:
    note("desk-1", "--label", "KG", *QUOTE)
    (renamed,) = engine.analyze(f"other={late}", options=engine.Options(cache=False)).readings
    assert (renamed["run"], renamed["read"]) == ("other", 1)
    late.write_text(late.read_text().replace("I cannot search", "I can not search"))
    (changed,) = readings(late)
    assert (changed["read"], changed["stale"]) == (0, 1)


def test_notes_elsewhere_are_named_and_questions_see_them(note: Note, late: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    note("desk-1", "--label", "KG", "--mechanism", "denies", *QUOTE, "-o", notes)
    assert not readings(late)
    assert readings(late, annotations=notes)[0]["read"] == 1
    counted = blade("count", "mechanism = 'denies' and rule = 'read'", late, "--annotations", notes, folder=tmp_path)
    assert "1 of 8" in counted.stdout


def test_many_notes_are_added_together_or_not_at_all(late: Path, tmp_path: Path) -> None:
    source = tmp_path / "many.jsonl"
    good = {"task": "desk-1", "attempt": 0, "label": "BI", "quote": "I cannot search"}
    source.write_text(f"{json.dumps(good)}\n{json.dumps({**good, 'attempt': 1, 'quote': 'nowhere'})}\n")
    refused = blade("note", late, "--from", source, "--author", "ann")
    assert refused.returncode == 2
    assert not (late.parent / "annotations.jsonl").exists()
    source.write_text(json.dumps(good))
    assert blade("note", late, "--from", source, "--author", "ann").returncode == 0
    source.write_text(json.dumps({**good, "colour": "red"}))
    assert "A note has no field 'colour'." in blade("note", late, "--from", source, "--author", "ann").stderr


@pytest.mark.parametrize(
    ("field", "value", "requirement"),
    [
        ("quote", [], "a text"),
        ("label", 7, "a text"),
        ("author", {"a": 1}, "a text"),
        ("attempt", "0", "a number"),
        ("attempt", True, "a number"),
        ("verdict_wrong", "yes", "true or false"),
    ],
)
def test_a_field_of_another_kind_is_refused(
    late: Path, tmp_path: Path, field: str, value: object, requirement: str
) -> None:
    source = tmp_path / "many.jsonl"
    source.write_text(json.dumps({"task": "desk-1", "label": "BI", "quote": "I cannot search", field: value}))
    refused = blade("note", late, "--from", source, "--author", "ann")
    assert refused.returncode == 2
    assert f"The field '{field}' of a note is {value!r}." in refused.stderr
    assert f"Wanted: {requirement}." in refused.stderr


def test_a_sample_says_how_many_there_are_and_a_choice_does_not(tmp_path: Path) -> None:
    rows = [row(task, 0, 0.0, response=response(message(f"word {task}"))) for task in range(40)]
    path = write(tmp_path / "a.jsonl", rows)
    done = blade("reading-list", path, "--random", "--most", "10", "--json", folder=tmp_path)
    picks = [pick["task"] for pick in json.loads(done.stdout)]
    assert len(set(picks)) == 10
    lines = [
        {"task": task, "label": "KG" if place < 4 else "BI", "quote": f"word {task}", "read_fully": True}
        for place, task in enumerate(picks)
    ]
    source = tmp_path / "many.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)))
    blade("note", path, "--from", source, "--author", "ann")
    (reading,) = readings(path)
    assert (reading["sample"], reading["read"], reading["fully"], reading["failures"]) == (10, 10, 10, 40)
    (knowledge,) = (line for line in reading["labels"] if line["label"] == "KG")
    assert knowledge["estimate"] == 16
    low, high = knowledge["interval"]
    assert 4 <= low < 16 < high <= 34
    again = blade("reading-list", path, "--random", "--most", "3", "--json", folder=tmp_path)
    assert not {pick["task"] for pick in json.loads(again.stdout)} & set(picks)
    (tmp_path / "annotations.jsonl").unlink()
    source.write_text("\n".join(map(json.dumps, lines[1:])))
    blade("note", path, "--from", source, "--author", "ann")
    (chosen,) = readings(path)
    assert chosen["sample"] == 0
    assert all(line["interval"] is None for line in chosen["labels"])


def test_a_line_that_is_no_annotation_is_a_flaw(note: Note, late: Path) -> None:
    note("desk-1", "--label", "KG", *QUOTE)
    with (late.parent / "annotations.jsonl").open("a") as stream:
        stream.write('{"annotation": 1, "author": "eve"}\n')
    analysis = engine.analyze(late, options=engine.Options(cache=False))
    assert "annotation-unreadable" in {flaw.slug for flaw in analysis.flaws}
    assert analysis.readings[0]["read"] == 1


def test_a_note_on_a_run_without_a_judged_failure_is_counted(note: Note, late: Path) -> None:
    """Everything passes at a threshold of 0: there is no failure of which the note could be a sample."""
    assert note("desk-1", "--label", "BI", "--mechanism", "denies what its tool can do", *QUOTE).returncode == 0
    (reading,) = readings(late, pass_threshold=0.0)
    (mechanism,) = reading["mechanisms"]
    assert (reading["failures"], mechanism["read"], mechanism["passes"]) == (0, 0, 1)
    assert (mechanism["estimate"], mechanism["interval"]) == (None, None)
