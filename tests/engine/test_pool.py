"""A pool that loses processes loses nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal
from tests.gym_rows import row, write

from blade.engine import engines, ranges
from blade.engine.engines import Local
from blade.engine.facts_chunks import Job, read_piece
from blade.engine.files import FileFacts, FileRequest, Progress, ReadOptions, read_files
from blade.engine.pool import COMMAND, Pool
from blade.engine.rows import NO_INPUTS, Known
from blade.errors import InputError, WorkerLost
from blade.extract.declared import NOTHING
from blade.facts.cache import FactsCache
from blade.facts.chunk import FactsChunk

KNOWN: Known = (NOTHING, NO_INPUTS)
DYING = """
import os, signal, sys
from pathlib import Path
from blade.engine import worker
real, left = worker.read_piece, Path(sys.argv[1])
def dying(job, known):
    piece = real(job, known)
    if job.start >= 3000 and left.read_text():
        left.write_text(left.read_text()[1:])
        os.kill(os.getpid(), signal.SIGKILL)
    return piece
worker.read_piece = dying
worker.main()
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ranges, "SMALLEST", 1500)
    monkeypatch.setattr(engines, "SMALL", 0)
    return write(tmp_path / "a.jsonl", [row(n, reward=n % 2, text=f"{n}" * 40) for n in range(12)] + [b"{broken"])


@pytest.fixture
def dying(tmp_path: Path) -> Iterator[tuple[Pool, Path]]:
    left = tmp_path / "left"
    pool = Pool(2, (sys.executable, "-c", DYING, str(left)))
    yield pool, left
    pool.close()


def read(path: Path, engine: Local, cache: FactsCache | None = None) -> FileFacts:
    with engine:
        return read_files([FileRequest(path, "rollouts")], [KNOWN], engine, ReadOptions(cache))[0]


def assert_same(one: FileFacts, two: FileFacts) -> None:
    assert_frame_equal(one.facts, two.facts)
    assert (one.flaws, one.lines) == (two.flaws, two.lines)


def test_two_processes_give_what_one_gives(run: Path, tmp_path: Path) -> None:
    alone = read(run, Local(1))
    assert alone.facts.height == 12
    assert_same(read(run, Local(2)), alone)
    cache = FactsCache(tmp_path / "kept")
    assert_same(read(run, Local(2), cache), alone)
    assert_same(read(run, Local(2), cache), alone)


def test_this_process_reads_while_others_do(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = read(run, Local(1))
    read_here: list[Job] = []

    def reading(job: Job, context: Known, progress: Progress | None = None) -> FactsChunk:
        read_here.append(job)
        return read_piece(job, context, progress)

    monkeypatch.setattr("blade.engine.pool.read_piece", reading)
    assert_same(read(run, Local(2)), alone)
    assert read_here
    read_here.clear()
    assert_same(read(run, Local(2, Pool(2))), alone)
    assert not read_here


@pytest.mark.slow
def test_a_killed_process_loses_nothing_and_counts_nothing_twice(run: Path, dying: tuple[Pool, Path]) -> None:
    pool, left = dying
    left.write_text("x")
    assert_same(read(run, Local(2, pool)), read(run, Local(1)))
    assert not left.read_text()


@pytest.mark.slow
def test_a_range_that_kills_twice_is_named(run: Path, dying: tuple[Pool, Path]) -> None:
    pool, left = dying
    left.write_text("x" * 99)
    with pytest.raises(WorkerLost, match=r"a\.jsonl: bytes [\d,]+ to [\d,]+: .* killed by signal 9, 2 times over"):
        read(run, Local(2, pool))
    assert not pool.workers


def test_what_a_process_cannot_do_is_told_in_its_words(run: Path) -> None:
    broken = "from blade.engine import worker\nworker.read_piece = lambda *_: 1 / 0\nworker.main()"
    pool = Pool(2, (sys.executable, "-c", broken))
    with pytest.raises(InputError, match="ZeroDivisionError: division by zero"):
        read(run, Local(2, pool))


@pytest.mark.slow
def test_what_a_plug_in_prints_is_no_answer(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    loud = """
from blade.engine import worker
real = worker.read_piece
def printing(job, known):
    print("hello")
    return real(job, known)
worker.read_piece = printing
worker.main()
"""
    assert_same(read(run, Local(2, Pool(2, (sys.executable, "-c", loud)))), read(run, Local(1)))
    assert "hello" in capfd.readouterr().err


@pytest.mark.slow
def test_a_process_ends_with_its_pool(run: Path) -> None:
    pool = Pool(2, COMMAND)
    engine = Local(2, pool)
    with engine:
        found = read_files([FileRequest(run, "rollouts")], [KNOWN], engine)
        pids = [worker.pid for worker in pool.workers.values()]
    assert found[0].facts.height == 12
    assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.slow
def test_a_reader_that_stops_early_leaves_no_process(run: Path) -> None:
    pool = Pool(2, COMMAND)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Local(2, pool) as engine:
        read_files([FileRequest(run, "rollouts")], [KNOWN], engine, progress=stop)
    assert not pool.workers
