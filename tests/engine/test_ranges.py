"""However a file is cut, it gives the same facts."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.gym_rows import row, write

from blade.engine import files, ranges
from blade.engine.engines import Local
from blade.engine.facts_chunks import Job
from blade.engine.files import Done, FileFacts, FileRequest, ReadOptions, read_files
from blade.engine.rows import NO_INPUTS, Known
from blade.extract.declared import NOTHING
from blade.facts.cache import FactsCache
from blade.files.lines import seek_line

KNOWN: Known = (NOTHING, NO_INPUTS)
LINES = [
    row(0),
    b"",
    row(1, reward=0.0, text="Grüße 🦆" * 9),
    b"{broken",
    b"   ",
    row(2, text="x" * 3000),
    b"[1]",
    row(3, reward=None),
    b"{broken",
    row(3, 1),
]


def read(path: Path, cache: FactsCache | None = None, engine: Local | None = None) -> FileFacts:
    return read_files([FileRequest(path, "rollouts")], [KNOWN], engine or Local(1), ReadOptions(cache))[0]


def assert_same(one: FileFacts, two: FileFacts) -> None:
    assert_frame_equal(one.facts, two.facts)
    assert (one.flaws, one.lines, one.bytes) == (two.flaws, two.lines, two.bytes)


@pytest.fixture(scope="module", params=["ends", "no newline at the end", "mark", "windows"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write(tmp_path_factory.mktemp("cut") / "a.jsonl", LINES)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "ends": whole,
            "no newline at the end": whole.rstrip(b"\n"),
            "mark": b"\xef\xbb\xbf" + whole,
            "windows": whole.replace(b"\n", b"\r\n"),
        }[request.param]
    )
    return path


@pytest.mark.slow
@given(data=st.data())
def test_ranges_that_cut_lines_anywhere_give_the_same_facts(run: Path, data: st.DataObject) -> None:
    size = run.stat().st_size
    cuts = data.draw(st.lists(st.integers(0, size), max_size=12).map(sorted))
    places = [0, *cuts, size]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "cut", lambda *_: list(pairwise(places)))
        assert_same(read(run), whole_of(run))


@cache
def whole_of(run: Path) -> FileFacts:
    return read(run)


@given(start=st.integers(0, 10**9), size=st.integers(0, 10**10))
def test_ranges_follow_each_other_without_a_gap(start: int, size: int) -> None:
    made = ranges.cut(start, start + size)
    assert [one for one, _ in made[1:]] == [two for _, two in made[:-1]]
    assert not made or (made[0][0], made[-1][1]) == (start, start + size)
    assert all(0 < two - one <= ranges.LARGEST for one, two in made)
    assert len(made) <= ranges.PARTS or size > ranges.PARTS * ranges.LARGEST or made[0][1] - start == ranges.SMALLEST


def test_a_line_begins_behind_a_line_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"ab\n\ncd\ne")
    with path.open("rb") as stream:
        assert [seek_line(stream, start) for start in range(9)] == [0, 3, 3, 3, 4, 7, 7, 7, 8]


def test_a_line_longer_than_a_range_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.jsonl", [row(0), row(1, text="word " * 9000), row(2)])
    whole = read(path)
    monkeypatch.setattr(ranges, "SMALLEST", 1000)
    monkeypatch.setattr(ranges, "LARGEST", 1000)
    assert len(ranges.cut(0, path.stat().st_size)) > 40
    assert_same(read(path), whole)


def test_a_compressed_file_is_one_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "SMALLEST", 100)
    monkeypatch.setattr(ranges, "LARGEST", 100)
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(write(tmp_path / "plain", LINES).read_bytes()))
    seen: list[Job] = []

    class Watching(Local):
        def run(self, jobs: Sequence[Job], *rest: Any) -> Iterator[Done]:
            seen.extend(jobs)
            return super().run(jobs, *rest)

    read(path, engine=Watching(1))
    assert [(job.start, job.end) for job in seen] == [(0, None)]


class Counting(Local):
    """Says which bytes were read."""

    def __init__(self) -> None:
        super().__init__(1)
        self.read: list[tuple[int, int | None]] = []

    def run(self, jobs: Sequence[Job], *rest: Any) -> Iterator[Done]:
        self.read += [(job.start, job.end) for job in jobs]
        return super().run(jobs, *rest)


def test_a_file_that_grew_is_read_from_where_it_ended(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "kept")
    path = write(tmp_path / "a.jsonl", [row(n) for n in range(5)])
    sizes = [0]
    for new in range(4):
        engine = Counting()
        sizes.append(path.stat().st_size)
        grown = read(path, cache, engine)
        assert engine.read == [(sizes[-2], sizes[-1])]
        assert_same(grown, read(path))
        with path.open("ab") as file:
            file.write(write(tmp_path / "more", [row(10 + new), b"{broken"]).read_bytes())


def test_a_half_written_last_line_is_read_again_when_it_is_whole(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "kept")
    whole = write(tmp_path / "whole", [row(n) for n in range(4)]).read_bytes()
    path = tmp_path / "a.jsonl"
    for size in (len(whole) - 200, len(whole) - 1, len(whole)):
        path.write_bytes(whole[:size])
        assert_same(read(path, cache), read(path))
    assert read(path, cache).facts.height == 4


def test_a_change_before_the_end_is_seen_in_a_file_that_grew(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "kept")
    path = write(tmp_path / "a.jsonl", [row(n) for n in range(5)])
    read(path, cache)
    path.write_bytes(path.read_bytes().replace(b'"reward": 1.0', b'"reward": 0.5', 1) + b"\n")
    assert read(path, cache).facts["reward"].to_list() == [0.5, 1.0, 1.0, 1.0, 1.0]


def test_many_small_pieces_become_one(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "kept")
    path = write(tmp_path / "a.jsonl", [row(0)])
    pieces = []
    for new in range(files.MOST_SMALL + 3):
        engine = Counting()
        assert_same(read(path, cache, engine), read(path))
        pieces.append(engine.read[0][0])
        with path.open("ab") as file:
            file.write(write(tmp_path / "more", [row(1 + new)]).read_bytes())
    assert pieces.count(0) == 2


def test_one_lost_entry_costs_its_piece_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "SMALLEST", 2000)
    cache = FactsCache(tmp_path / "kept")
    path = write(tmp_path / "a.jsonl", [row(n, text=f"{n}" * 400) for n in range(20)])
    whole = read(path, cache)
    entries = sorted((cache.folder / "facts").iterdir())
    assert len(entries) > 3
    entries[2].unlink()
    engine = Counting()
    assert_same(read(path, cache, engine), whole)
    assert len(engine.read) == 1


def test_a_cryptographic_fingerprint_has_entries_of_its_own(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "kept")
    path = write(tmp_path / "a.jsonl", LINES)
    made = [
        read_files([FileRequest(path, "rollouts")], [KNOWN], Local(1), ReadOptions(cache, name))[0]
        for name in ("xxh3", "sha256", "sha256")
    ]
    assert [one.cached for one in made] == [False, False, True]
    assert sorted(len(file.name.split("-")[1]) for file in (cache.folder / "facts").iterdir()) == [32, 64]
