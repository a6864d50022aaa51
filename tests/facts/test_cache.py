from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.gym_rows import only_run, row, write

from blade.engine import facts_chunks, files, rows
from blade.engine.engines import Local
from blade.engine.files import FileFacts, FileRequest, ReadOptions, read_files, shape_of
from blade.engine.rows import NO_INPUTS
from blade.extract.declared import NOTHING, Declared
from blade.facts import cache as cache_module
from blade.facts.cache import FactsCache, Note, Span
from blade.facts.chunk import FactsChunk, unpack
from blade.facts.columns import SCHEMA
from blade.facts.table import BLOCK, FactsBuilder
from blade.files.lines import parse
from blade.files.remote_paths import digest_of, state_of


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = write(tmp_path / "a.jsonl", [row(0), row(1, reward=0.0), b"{broken}"])
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FactsCache:
    monkeypatch.setattr(cache_module, "RACY_NS", 0)  # files of this test were all written a moment ago
    return FactsCache(tmp_path / "kept")


def read_file(path: Path, role: str, *, declared: Declared = NOTHING, cache: FactsCache | None = None) -> FileFacts:
    return read_files([FileRequest(path, role)], [(declared, NO_INPUTS)], Local(1), ReadOptions(cache))[0]


def note(cache: FactsCache, path: Path) -> Note | None:
    return cache.note(path, state_of(path))


def never_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: bytes) -> Any:
        raise AssertionError("the file was parsed again")

    monkeypatch.setattr(rows, "parse", refuse)


def entries(cache: FactsCache) -> list[Path]:
    return sorted((cache.folder / "facts").iterdir())


def same(one: FileFacts, two: FileFacts) -> bool:
    return one.facts.equals(two.facts) and (one.flaws, one.lines) == (two.flaws, two.lines)


def test_a_second_reading_does_not_parse(run: Path, cache: FactsCache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_file(run, "rollouts", cache=cache)
    never_parsed(monkeypatch)
    second = read_file(run, "rollouts", cache=cache)
    assert (first.cached, second.cached) == (False, True)
    assert same(first, second)
    assert [(flaw.slug, flaw.line, flaw.rows) for flaw in second.flaws] == [("row-unreadable", 3, 1)]


def test_an_unchanged_file_is_not_even_hashed(run: Path, cache: FactsCache, monkeypatch: pytest.MonkeyPatch) -> None:
    read_file(run, "rollouts", cache=cache)
    monkeypatch.setattr(files, "digest_of", None)
    monkeypatch.setattr(facts_chunks, "open_bytes", None)
    assert read_file(run, "rollouts", cache=cache).cached


def test_the_same_content_elsewhere_is_known(run: Path, cache: FactsCache, tmp_path: Path) -> None:
    read_file(run, "rollouts", cache=cache)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(run.read_bytes())
    read = read_file(copy, "rollouts", cache=cache)
    assert read.cached
    assert {flaw.file for flaw in read.flaws} == {str(copy)}


def test_roles_and_reward_fields_are_kept_apart(run: Path, cache: FactsCache) -> None:
    read_file(run, "rollouts", cache=cache)
    assert not read_file(run, "rollouts", declared=Declared(reward_field="info.rate"), cache=cache).cached
    assert not read_file(run, "inputs", cache=cache).cached
    assert cache.info()[0] == 3


@pytest.mark.parametrize("times", ["new", "set back"])
def test_changed_content_of_equal_size_is_seen(run: Path, cache: FactsCache, times: str) -> None:
    before = run.stat()
    assert read_file(run, "rollouts", cache=cache).facts["reward"].to_list() == [1.0, 0.0]
    with run.open("r+b") as file:
        file.write(run.read_bytes().replace(b'"reward": 1.0', b'"reward": 0.5'))
    assert run.stat().st_size == before.st_size
    if times == "set back":
        os.utime(run, ns=(before.st_atime_ns, before.st_mtime_ns))
    read = read_file(run, "rollouts", cache=cache)
    assert (read.cached, read.facts["reward"].to_list()) == (False, [0.5, 0.0])


def test_a_file_written_a_moment_ago_is_hashed_every_time(run: Path, tmp_path: Path) -> None:
    run.touch()
    kept = FactsCache(tmp_path / "kept")
    read_file(run, "rollouts", cache=kept)
    known = note(kept, run)
    assert known is not None
    assert not known.unchanged
    assert read_file(run, "rollouts", cache=kept).cached


def test_a_file_that_grew_while_it_was_read_is_read_again(
    run: Path, cache: FactsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def grow_then_parse(data: bytes) -> Any:
        with run.open("ab") as file:
            file.write(b"\n")
        return parse(data)

    monkeypatch.setattr(rows, "parse", grow_then_parse)
    read_file(run, "rollouts", cache=cache)
    known = note(cache, run)
    assert known is not None
    assert not known.unchanged


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "text", "foreign columns"])
def test_a_damaged_entry_is_made_again(run: Path, cache: FactsCache, damage: str) -> None:
    first = read_file(run, "rollouts", cache=cache)
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    if damage == "foreign columns":
        piece = unpack(whole)
        foreign = FactsChunk(0, piece.end, 2, piece.digest, True, (), pl.DataFrame({"a": [1]}))
        cache.store(foreign, shape_of("rollouts"))
    else:
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        entry.write_bytes({"empty": b"", "cut": whole[:-9], "flipped": flipped, "text": b"x" * 99}[damage])
    again = read_file(run, "rollouts", cache=cache)
    assert not again.cached
    assert same(first, again)
    assert read_file(run, "rollouts", cache=cache).cached


def test_one_wrong_byte_anywhere_in_an_entry_is_noticed(run: Path, cache: FactsCache) -> None:
    read_file(run, "rollouts", cache=cache)
    (entry,) = entries(cache)
    whole = entry.read_bytes()
    span = Span(0, run.stat().st_size, digest_of(run))
    assert cache.load(span, shape_of("rollouts")) is not None
    for place in range(0, len(whole), 97):
        entry.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache.load(span, shape_of("rollouts")) is None
        assert not entry.exists()


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"\xff", b'{"spans": 3}', b'{"spans": [[1]], "state": {}}'])
def test_a_damaged_note_is_no_note(run: Path, cache: FactsCache, text: bytes) -> None:
    read_file(run, "rollouts", cache=cache)
    (kept,) = (cache.folder / "seen").iterdir()
    kept.write_bytes(text)
    assert note(cache, run) is None
    assert read_file(run, "rollouts", cache=cache).cached


def test_another_version_of_the_extraction_has_entries_of_its_own(
    run: Path, cache: FactsCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_file(run, "rollouts", cache=cache)
    monkeypatch.setattr(cache_module, "EXTRACTOR_VERSION", -1)
    assert not read_file(run, "rollouts", cache=cache).cached


def _store_often(folder: str, path: str) -> None:
    """Write an entry again and again: from the first time on it is there and whole, whoever else writes it."""
    file, shape, cache = Path(path), shape_of("rollouts"), FactsCache(Path(folder))
    made = read_file(file, "rollouts")
    piece = FactsChunk(0, made.bytes, made.lines, digest_of(file), True, made.flaws, made.facts)
    for _ in range(300):
        cache.store(piece, shape)
        assert cache.load(Span(0, made.bytes, piece.digest), shape) is not None


@pytest.mark.slow
def test_two_processes_may_write_the_same_entry_at_once(run: Path, cache: FactsCache) -> None:
    start = multiprocessing.get_context("spawn")
    both = [start.Process(target=_store_often, args=(str(cache.folder), str(run))) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
    assert [process.exitcode for process in both] == [0, 0]
    assert len(entries(cache)) == 1
    assert read_file(run, "rollouts", cache=cache).cached


def test_no_cache_keeps_nothing(run: Path, tmp_path: Path) -> None:
    only_run(run, cache=False, cache_dir=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
    only_run(run, cache=True, cache_dir=tmp_path / "kept")
    assert FactsCache(tmp_path / "kept").clear() == 1
    assert FactsCache(tmp_path / "kept").info() == (0, 0)


def test_a_cache_that_cannot_be_written_is_only_slower(run: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where the folder should be")
    for _ in range(2):
        assert not read_file(run, "rollouts", cache=FactsCache(tmp_path / "kept")).cached


def test_a_file_that_could_not_be_read_to_its_end_is_not_kept(tmp_path: Path, cache: FactsCache) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"\x1f\x8b" + b"nothing that gzip knows")
    read = read_file(path, "rollouts", cache=cache)
    assert [flaw.slug for flaw in read.flaws] == ["file-unreadable"]
    assert cache.info() == (0, 0)


def test_the_place_of_the_cache_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path / "x"))
    assert FactsCache().folder == tmp_path / "x"
    monkeypatch.delenv("BLADE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert FactsCache().folder == tmp_path / "blade"


def test_a_table_is_the_same_however_many_blocks_it_is_built_from() -> None:
    builder = FactsBuilder()
    for line in range(BLOCK + 2):
        builder.add({"line": line, "signals": ["a|b"], "unknown": 1})
    table = builder.finish()
    assert (table.height, table.schema) == (BLOCK + 2, pl.Schema(SCHEMA))
    assert table["line"].to_list() == list(range(BLOCK + 2))
    assert FactsBuilder().finish().schema == pl.Schema(SCHEMA)
