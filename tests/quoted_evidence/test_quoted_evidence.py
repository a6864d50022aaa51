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
from blade.trajectory import TranscriptPart

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
def exhibits(demo: Demo) -> Exhibits:
    return collect(demo.analysis, demo.runs)


def test_every_quote_of_the_demo_stands_at_its_place(demo: Demo, exhibits: Exhibits) -> None:
    analysis = demo.analysis
    assert len(exhibits.quotes) > 100
    assert [exhibit for exhibit in exhibits.quotes if exhibit.proved is False] == []
    assert all(
        exhibit.run and exhibit.task and exhibit.attempt is not None and exhibit.line > 0 for exhibit in exhibits.quotes
    )
    for story in analysis.stories:
        for entry in story["evidence"]:
            exhibit = exhibits.of(entry)
            assert exhibit is not None
            assert exhibit.quote == entry["quote"]


def test_every_part_and_mode_with_evidence_has_an_exhibit(demo: Demo, exhibits: Exhibits) -> None:
    analysis = demo.analysis
    quoted = [exhibits.of(entry) for part in analysis.changes[0].parts for entry in part.evidence if entry["quote"]]
    assert quoted
    assert all(exhibit is not None and exhibit.proved for exhibit in quoted)
    for part in analysis.changes[0].parts:
        assert all(exhibits.of(entry) for entry in part.evidence)
    finding_of = {finding.id: finding for finding in analysis.findings}
    for mode in analysis.modes:
        first = next((finding_of[name] for name in mode.findings if name in finding_of), None)
        assert first is None or exhibits.of(first.evidence[0])


def test_words_of_a_row_are_found_in_the_item_that_holds_them() -> None:
    output = {"type": "function_call_output", "call_id": "c", "output": "Error: no such column."}
    rollout = row(0, 0, 0.0, response=response(message("I look."), output))
    exhibit = exhibit_of("e", {**PLACE, "quote": "no such column"}, rollout, ("run", "task", 3))
    assert (exhibit.item, exhibit.field, exhibit.before, exhibit.after) == (1, "text", "Error: ", ".")
    assert exhibit.proved
    missing = exhibit_of("e", {**PLACE, "quote": "said nowhere"}, rollout, ("run", "task", 3))
    assert (missing.item, missing.field, missing.proved) == (None, "", None)


def test_a_quote_stands_between_what_was_said_before_and_after() -> None:
    rollout = row(0, 0, 0.0, response=response(message("x" * 900 + "the words" + "y" * 700)))
    entry = {**PLACE, "item": 0, "field": "text", "start": 900, "end": 909, "quote": "the words"}
    exhibit = exhibit_of("e", entry, rollout, ("run", "task", 3))
    assert (exhibit.before, exhibit.after) == ("x" * 500, "y" * 500)
    assert (exhibit.more_before, exhibit.more_after) == (400, 200)
    assert exhibit.proved
    assert (exhibit.kind, exhibit.title) == ("message", "assistant")


def test_words_that_do_not_stand_there_are_said_not_to() -> None:
    entry = {**PLACE, "item": 0, "field": "text", "start": 0, "end": 5, "quote": "other"}
    assert exhibit_of("e", entry, row(0, 0), None).proved is False


def test_a_row_that_names_its_field_is_opened_there() -> None:
    rollout = row(0, 0, 0.0, verifier={"message": "it said: no such thing"})
    exhibit = exhibit_of(
        "e", {**PLACE, "kind": "row", "quote": "verifier.message: no such thing"}, rollout, ("r", "t", 0)
    )
    assert exhibit.field == "row.verifier.message"
    assert (exhibit.before, exhibit.quote, exhibit.proved) == ("it said: ", "no such thing", True)


def test_places_have_names_of_their_own() -> None:
    place = {**PLACE, "item": 0, "field": "text", "start": 0, "end": 5}
    assert exhibit_id(place) == exhibit_id(dict(place))
    assert len({exhibit_id(place), exhibit_id({**place, "item": 1}), exhibit_id({**place, "end": 6})}) == 3


def sides(*parts: tuple[str, str, str]) -> list[Side]:
    return [Side(TranscriptPart(kind, title, text, number), "") for number, (kind, title, text) in enumerate(parts)]


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
    item_pairs = [
        (twin_row.good and twin_row.good.part.item, twin_row.bad and twin_row.bad.part.item) for twin_row in rows
    ]
    assert item_pairs == [(0, 0), (None, 1), (1, 2), (2, 3), (3, 4)]
    assert [twin_row.alike for twin_row in rows] == [False, False, True, False, False]
    assert [twin_row.good.part.item for twin_row in rows if twin_row.good and twin_row.good.marked] == [2]
    assert [twin_row.bad.part.item for twin_row in rows if twin_row.bad and twin_row.bad.marked] == [4]


def test_rows_that_are_alike_from_the_start_are_folded() -> None:
    calls = [("call", "find", str(number)) for number in range(6)]
    pair = pair_of(
        0,
        TWIN | {"item_pass": 6, "item_fail": 6},
        sides(*calls, ("call", "set", "x")),
        sides(*calls, ("call", "set", "y")),
    )
    assert len(pair.alike) == 5
    assert [twin_row.alike for twin_row in pair.rows] == [True, False]


def test_a_long_item_is_cut_and_says_so() -> None:
    (side,) = [
        side
        for side in transcript_sides(row(0, 0, response=response(message("z" * 5000))))
        if side.part.kind == "message"
    ]
    assert len(side.part.text) + side.more == 5000
    assert side.more > 2000


@pytest.mark.slow
def test_files_that_are_gone_leave_the_quotes_alone(tmp_path: Path) -> None:
    options = blade.Options(cache=False)
    paths = demo_pair(tmp_path)
    runs = blade.read(*paths, options=options)
    analysis = blade.analyze_runs(runs, options)
    for path in paths:
        path.unlink()
    exhibits = collect(analysis, runs)
    assert exhibits.pairs == ()
    assert exhibits.pairs_left_out == len(analysis.twins)
    assert all(exhibit.proved is None and not exhibit.before for exhibit in exhibits.quotes)
