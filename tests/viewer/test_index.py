"""The index: filters, marks, search, what is kept on disk."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from urllib.parse import parse_qsl

import polars as pl
import pytest
from tests.gym_rows import message, response, row, write

from blade.evidence import open_row
from blade.index import index_cache
from blade.index.open_index import open_index
from blade.index.tables import Index
from blade.options import Options
from blade.pages.markup import Mark
from blade.trajectory import TranscriptPart
from blade.viewer import links, searching
from blade.viewer.compare_view import pair
from blade.viewer.selection import Selection, select, selection_of
from blade.viewer.transcript import TranscriptEntry, open_transcript, pieces


def test_filters_agree_with_the_counts_of_the_analysis(index: Index) -> None:
    for run in index.facts["runs"]:
        for bucket, tasks in run["buckets"].items():
            assert len(select(index, Selection(run=run["name"], bucket=bucket))) == tasks
        for status, tasks in run["statuses"].items():
            rows = index.attempts.filter((pl.col("run") == run["name"]) & (pl.col("state") == status))
            assert rows.height == tasks or status == "missing"
    for mode in index.facts["modes"]:
        for run, cell in mode["runs"].items():
            assert len(select(index, Selection(run=run, mode=mode["id"]))) == cell["tasks"]
            rows = index.attempts.filter((pl.col("run") == run) & (pl.col("mode") == mode["id"]))
            assert rows.height == cell["rollouts"]


def test_filters_narrow_together_and_unknown_values_find_nothing(index: Index) -> None:
    everything = set(select(index, Selection()))
    assert len(everything) == index.tasks.height
    never = set(select(index, Selection(bucket="never", run="candidate")))
    labelled = set(select(index, Selection(bucket="never", run="candidate", label="IE")))
    assert labelled <= never < everything
    assert select(index, Selection(mode="nobody")) == []
    assert select(index, Selection(q="DESK-2-00016")) == select(index, Selection(q="desk-2-00016"))


def test_losses_come_first(index: Index) -> None:
    first = select(index, Selection(sort="change"))[0]
    moved = index.results_of([first])[first]
    assert moved["candidate"]["mean"] < moved["baseline"]["mean"]


def test_an_address_holds_the_whole_selection() -> None:
    selection = Selection(q="a&b=c", run="r/1", bucket="never", mode="m", slice="x: y", page=3)
    query = selection.query(task="t?#")
    assert selection_of(dict(parse_qsl(query))) == selection
    assert links.tasks(selection, page=1, q="") == "/tasks?run=r%2F1&bucket=never&mode=m&slice=x%3A+y"


def test_every_mark_stands_on_its_quote(index: Index) -> None:
    checked = 0
    rows = index.attempts.filter(pl.col("noticed").list.len() > 0)
    for attempt in index.read(rows.head(80)):
        transcript = open_transcript(attempt)
        marks = {
            mark.id: entry.part.text[mark.start : mark.end] for entry in transcript.entries for mark in entry.marks
        }
        for notice in transcript.noticed:
            for words, anchor, _ in notice.quotes:
                assert anchor, f"{attempt.task} {attempt.attempt}: {notice.detector} has no place"
                assert marks[anchor] == words
                checked += 1
    assert checked > 50


def test_anchors_are_unique(index: Index) -> None:
    for attempt in index.read(index.attempts.head(40)):
        anchors = [entry.anchor for entry in open_transcript(attempt).entries]
        assert len(set(anchors)) == len(anchors)


def test_a_long_text_shows_its_beginning_and_what_stands_around_a_mark() -> None:
    words = "a" * 50_000 + "NEEDLE" + "b" * 50_000
    entry = TranscriptEntry(0, "item-0", TranscriptPart("output", "x", words, 0), (Mark(50_000, 50_006, "m"),))
    text_pieces, left = pieces(entry)
    assert [piece.before for piece in text_pieces] == [0, 50_000 - 500 - 4_000]
    (mark,) = text_pieces[1].marks
    assert text_pieces[1].text[mark.start : mark.end] == "NEEDLE"
    assert sum(piece.before + len(piece.text) for piece in text_pieces) + left == len(words)


def test_a_pair_is_aligned_and_loses_nothing(index: Index) -> None:
    twin = next(twin for twin in index.facts["twins"] if twin["item_pass"] is not None)
    left = index.find(twin["run"], twin["task"], twin["pass"])
    right = index.find(twin["run"], twin["task"], twin["fail"])
    assert left is not None
    assert right is not None
    comparison = pair(left, right)
    assert comparison.statement == twin["statement"]
    for side, attempt in (("left", left), ("right", right)):
        places = [entry.place for line in comparison.rows if (entry := getattr(line, side)) is not None]
        assert places == [entry.place for entry in open_transcript(attempt).entries]
    items = {entry.part.item for line in comparison.rows if line.parts for entry in (line.left, line.right) if entry}
    assert {twin["item_pass"], twin["item_fail"]} - {None} <= items


def test_text_search_finds_words_however_they_are_escaped(tmp_path: Path) -> None:
    texts = ['say "hello\tworld"', "naïve café", "emoji 👩‍💻 here", "İstanbul and more", "plain"]
    rows = [row(number, 0, 1.0, response=response(message(text))) for number, text in enumerate(texts)]
    path = tmp_path / "rollouts.jsonl"
    path.write_text(
        "".join(json.dumps(line, ensure_ascii=number % 2 == 0) + "\n" for number, line in enumerate(rows)),
        encoding="utf-8",
    )
    index = open_index([str(path)], Options(cache=False))
    for words in ('"hello\tworld"', "NAÏVE café", "👩‍💻", "and more", "plain"):
        result = searching.text(index, words, Selection(q=words))
        assert len(result.hits) == 1, words
        assert result.next is None
        assert result.hits[0].item == 0


def test_a_hit_begins_and_ends_with_whole_words_and_marks_what_is_left_out() -> None:
    text = "alpha beta " * 30 + "needle" + " gamma delta" * 30
    start = text.index("needle")
    before, after = searching._before(text, start), searching._after(text, start + len("needle"))
    assert before.startswith(("…alpha", "…beta"))
    assert after.endswith(("gamma…", "delta…"))
    assert searching._before("so a needle", 5) == "so a "
    assert searching._after("needle here", 6) == " here"


def test_text_search_is_bounded_and_goes_on_where_it_ended(index: Index) -> None:
    first = searching.text(index, "e", Selection(q="e"), seconds=0.0)
    assert first.next == first.read == 1
    hits: list[tuple[str, int]] = []
    begin: int | None = 0
    while begin is not None:
        result = searching.text(index, "desk", Selection(q="desk", run="candidate"), begin)
        assert len(result.hits) <= searching.MOST_HITS
        hits += [(hit.attempt.task, hit.attempt.attempt) for hit in result.hits]
        begin = result.next
    assert len(hits) == len(set(hits)) > searching.MOST_HITS


def test_what_was_seen_before_is_opened_from_disk_and_a_changed_file_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "rollouts.jsonl", [row(0, 0, 1.0), row(1, 0, 0.0)])
    options = Options(cache_dir=tmp_path / "cache")
    first = open_index([str(path)], options)
    again = index_cache.load(index_cache.key_of([str(path)], options), tmp_path / "cache")
    assert again is not None
    assert again.attempts.equals(first.attempts)
    assert again.tasks.equals(first.tasks)
    assert again.results.equals(first.results)
    assert json.loads(json.dumps(again.facts)) == json.loads(json.dumps(first.facts))
    assert index_cache.key_of([str(path)], options) != index_cache.key_of([str(path)], Options(pass_threshold=0.5))
    before = index_cache.key_of([str(path)], options)
    os.utime(path, ns=(time.time_ns(), time.time_ns() + 10**9))
    assert index_cache.key_of([str(path)], options) != before
    (tmp_path / "cache" / "view" / before / "tasks.parquet").write_bytes(b"broken")
    assert index_cache.load(before, tmp_path / "cache") is None


def test_a_setting_that_is_no_text_has_a_key_all_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", [row(0, 0, 1.0)])
    keys = {index_cache.key_of([str(path)], Options(reward_field=field)) for field in ("score", "\ud800", "\ud801")}
    assert len(keys) == 3


def test_fields_named_as_our_own_columns_stand_beside_them(tmp_path: Path) -> None:
    rows = [row(task, 0, float(task % 2), hash=f"h{task}", key=f"k{task}") for task in range(4)]
    path = write(tmp_path / "rollouts.jsonl", rows)
    table = open_index([str(path)], Options(cache=False)).rollouts.collect().sort("task")
    assert table["row_hash_field"].to_list() == ["h0", "h1", "h2", "h3"]
    assert table["row_key_field"].to_list() == ["k0", "k1", "k2", "k3"]
    assert all(len(key) == 16 for key in table["row_key"])


def test_the_index_holds_no_transcript(index: Index) -> None:
    """Words stay in the files: only quotes of findings and the beginnings of tasks and answers are kept."""
    attempt = next(index.read(index.attempts.head(1)))
    longest = max(len(str(part)) for part in open_row(attempt.source)["response"]["output"])
    assert longest > 50
    assert index.attempts["sightings"].drop_nulls().str.len_chars().max() < 50_000  # type: ignore[operator]
