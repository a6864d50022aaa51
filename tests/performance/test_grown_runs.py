"""Runs that are made large to be measured: as many rows as the copies, each under ids of its own."""

from __future__ import annotations

from pathlib import Path

import orjson
from benchmarks.grown_runs import grow


def test_rows_are_repeated_under_other_ids_and_in_other_words(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    text = "A text of some words that is long enough to be told from an id."
    rows = [{"task_id": f"t{n}", "text": text, "reward": 1.0} for n in range(3)]
    (source / "rows.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    size = (source / "rows.jsonl").stat().st_size
    grown = grow(source, tmp_path / "grown", 4.5 * size / 1e6)
    made = [orjson.loads(line) for line in (grown / "rows.jsonl").read_bytes().splitlines()]
    assert len(made) == 15
    assert len({row["task_id"] for row in made}) == 15
    assert len({row["text"] for row in made}) == 5
    assert made[:3] == rows
    assert (source / "rows.jsonl").stat().st_size == size


def test_a_list_in_a_document_grows_and_what_made_its_entries_stays(tmp_path: Path) -> None:
    source = tmp_path / "run.json"
    entries = [{"id": n, "provider": {"id": "a-model"}} for n in range(4)]
    source.write_bytes(orjson.dumps({"results": entries, "version": 3}))
    grown = orjson.loads(grow(source, tmp_path / "grown", 2.5 * source.stat().st_size / 1e6).read_bytes())
    assert grown["version"] == 3
    assert len({entry["id"] for entry in grown["results"]}) == 12
    assert {entry["provider"]["id"] for entry in grown["results"]} == {"a-model"}
