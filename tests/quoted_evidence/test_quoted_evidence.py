"""What a report shows of the rollouts: exact words in their message, and two attempts row beside row."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gym_rows import message, response, row
from tests.made_demo import Demo

import blade
from blade.quoted_evidence import Exhibits, collect
from blade.quoted_evidence.pairs import Side, pair_of, transcript_sides
from blade.quoted_evidence.quotes import exhibit_id, exhibit_of
from blade.simulate import demo_pair
from blade.trajectory import Part

PLACE = {"file": "f", "line": 1, "offset": 0, "length": 1}
TWIN = {
    "run": "r",
    "task": "t",
    "pass": 0,
    "fail": 1,
    "passes": 1,
    "attempts": 2,
    "statement": "they differ",
    "lucky_because": None,
    "item_pass": 2,
    "item_fail": 4,
    "sources": [PLACE, {**PLACE, "line": 2}],
}


@pytest.fixture(scope="module")
def shown(demo: Demo) -> Exhibits:
    return collect(demo.analysis, demo.runs)


def test_every_quote_of_the_demo_stands_at_its_place(demo: Demo, shown: Exhibits) -> None:
    analysis = demo.analysis
    assert len(shown.quotes) > 100
    assert [one for one in shown.quotes if one.proved is False] == []
    assert all(one.run and one.task and one.attempt is not None and one.line > 0 for one in shown.quotes)
    for story in analysis.stories:
        for entry in story["evidence"]:
            found = shown.of(entry)
            assert found is not None
            assert found.quote == entry["quote"]


def test_every_part_and_mode_with_evidence_has_an_exhibit(demo: Demo, shown: Exhibits) -> None:
    analysis = demo.analysis
    quoted = [shown.of(entry) for part in analysis.changes[0].parts for entry in part.evidence if entry["quote"]]
    assert quoted
    assert all(one is not None and one.proved for one in quoted)
    for part in analysis.changes[0].parts:
        assert all(shown.of(entry) for entry in part.evidence)
    known = {finding.id: finding for finding in analysis.findings}
    for mode in analysis.modes:
        first = next((known[name] for name in mode.findings if name in known), None)
        assert first is None or shown.of(first.evidence[0])


def test_words_of_a_row_are_found_in_the_item_that_holds_them() -> None:
    output = {"type": "function_call_output", "call_id": "c", "output": "Error: no such column."}
    made = row(0, 0, 0.0, response=response(message("I look."), output))
    shown = exhibit_of("e", {**PLACE, "quote": "no such column"}, made, ("run", "task", 3))
    assert (shown.item, shown.field, shown.before, shown.after) == (1, "text", "Error: ", ".")
    assert shown.proved
    lost = exhibit_of("e", {**PLACE, "quote": "said nowhere"}, made, ("run", "task", 3))
    assert (lost.item, lost.field, lost.proved) == (None, "", None)


def test_a_quote_stands_between_what_was_said_before_and_after() -> None:
    made = row(0, 0, 0.0, response=response(message("x" * 900 + "the words" + "y" * 700)))
    entry = {**PLACE, "item": 0, "field": "text", "start": 900, "end": 909, "quote": "the words"}
    shown = exhibit_of("e", entry, made, ("run", "task", 3))
    assert (shown.before, shown.after) == ("x" * 500, "y" * 500)
    assert (shown.more_before, shown.more_after) == (400, 200)
    assert shown.proved
    assert (shown.kind, shown.title) == ("message", "assistant")


def test_words_that_do_not_stand_there_are_said_not_to() -> None:
    entry = {**PLACE, "item": 0, "field": "text", "start": 0, "end": 5, "quote": "other"}
    assert exhibit_of("e", entry, row(0, 0), None).proved is False


def test_a_row_that_names_its_field_is_opened_there() -> None:
    made = row(0, 0, 0.0, verifier={"message": "it said: no such thing"})
    shown = exhibit_of("e", {**PLACE, "kind": "row", "quote": "verifier.message: no such thing"}, made, ("r", "t", 0))
    assert shown.field == "row.verifier.message"
    assert (shown.before, shown.quote, shown.proved) == ("it said: ", "no such thing", True)


def test_places_have_names_of_their_own() -> None:
    one = {**PLACE, "item": 0, "field": "text", "start": 0, "end": 5}
    assert exhibit_id(one) == exhibit_id(dict(one))
    assert len({exhibit_id(one), exhibit_id({**one, "item": 1}), exhibit_id({**one, "end": 6})}) == 3


def sides(*parts: tuple[str, str, str]) -> list[Side]:
    return [Side(Part(kind, title, text, number), "") for number, (kind, title, text) in enumerate(parts)]


def test_the_same_call_stands_in_the_same_row() -> None:
    good = sides(
        ("message", "assistant", "hi"), ("call", "find", "a"), ("call", "set", "b"), ("message", "assistant", "done")
    )
    bad = sides(
        ("message", "assistant", "hello"),
        ("thought", "thinking", "hm"),
        ("call", "find", "a"),
        ("output", "find", "1"),
        ("message", "assistant", "nothing to do"),
    )
    pair = pair_of(0, TWIN, good, bad)
    rows = [*pair.alike, *pair.rows]
    beside = [(one.good and one.good.part.item, one.bad and one.bad.part.item) for one in rows]
    assert beside == [(0, 0), (None, 1), (1, 2), (2, 3), (3, 4)]
    assert [one.alike for one in rows] == [False, False, True, False, False]
    assert [one.good.part.item for one in rows if one.good and one.good.marked] == [2]
    assert [one.bad.part.item for one in rows if one.bad and one.bad.marked] == [4]


def test_rows_that_are_alike_from_the_start_are_folded() -> None:
    same = [("call", "find", str(number)) for number in range(6)]
    pair = pair_of(
        0,
        TWIN | {"item_pass": 6, "item_fail": 6},
        sides(*same, ("call", "set", "x")),
        sides(*same, ("call", "set", "y")),
    )
    assert len(pair.alike) == 5
    assert [one.alike for one in pair.rows] == [True, False]


def test_a_long_item_is_cut_and_says_so() -> None:
    (shown,) = [
        side
        for side in transcript_sides(row(0, 0, response=response(message("z" * 5000))))
        if side.part.kind == "message"
    ]
    assert len(shown.part.text) + shown.more == 5000
    assert shown.more > 2000


@pytest.mark.slow
def test_files_that_are_gone_leave_the_quotes_alone(tmp_path: Path) -> None:
    options = blade.Options(cache=False)
    paths = demo_pair(tmp_path)
    runs = blade.read(*paths, options=options)
    analysis = blade.analyze_runs(runs, options)
    for path in paths:
        path.unlink()
    shown = collect(analysis, runs)
    assert shown.pairs == ()
    assert shown.pairs_left_out == len(analysis.twins)
    assert all(one.proved is None and not one.before for one in shown.quotes)
