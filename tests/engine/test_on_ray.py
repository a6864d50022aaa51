"""Ray tasks give what the local engine gives, byte for byte, also when their processes are killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.gym_rows import row, write

import blade
from blade.engine import on_ray, ranges
from blade.engine.engines import Local
from blade.engine.facts_chunks import Job, read_piece
from blade.engine.files import FileRequest, ReadOptions, read_files
from blade.engine.on_ray import OnRay
from blade.engine.rows import NO_INPUTS, Known
from blade.errors import UsageError, WorkerLost
from blade.extract.declared import NOTHING
from blade.facts.cache import FactsCache
from blade.facts.chunk import pack

KNOWN: Known = (NOTHING, NO_INPUTS)


@pytest.fixture(scope="module")
def ray() -> Iterator[OnRay]:
    pytest.importorskip("ray")
    with OnRay(workers=2) as engine:
        yield engine


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ranges, "SMALLEST", 1500)
    return write(tmp_path / "a.jsonl", [row(n, reward=n % 2, text=f"{n}" * 40) for n in range(12)] + [b"{broken"])


def entries(path: Path, engine: Local | OnRay, folder: Path) -> dict[str, bytes]:
    """What the cache holds after a reading: the packed pieces, by name."""
    read_files([FileRequest(path, "rollouts")], [KNOWN], engine, ReadOptions(FactsCache(folder)))
    return {file.name: file.read_bytes() for file in (folder / "facts").iterdir()}


@pytest.mark.slow
def test_local_and_ray_are_byte_identical(run: Path, ray: OnRay, tmp_path: Path) -> None:
    here = entries(run, Local(1), tmp_path / "here")
    assert len(here) > 3
    assert entries(run, ray, tmp_path / "there") == here


@pytest.mark.slow
def test_a_killed_task_loses_nothing(run: Path, ray: OnRay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = entries(run, Local(1), tmp_path / "here")
    killed = str(tmp_path / "killed")

    def dying(job: Job, known: Known, _: str) -> bytes:
        if job.start >= 1500 and not os.path.exists(killed):  # noqa: PTH110 - it runs in another process, on its own
            with open(killed, "w"):  # noqa: PTH123 - as above
                pass
            os.kill(os.getpid(), signal.SIGKILL)
        return pack(read_piece(job, known))

    monkeypatch.setattr(on_ray, "read_packed", dying)
    assert entries(run, ray, tmp_path / "there") == here
    assert Path(killed).exists()


@pytest.mark.slow
def test_a_task_that_always_dies_is_named(run: Path, ray: OnRay, monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(_: Job, __: Known, ___: str) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""

    monkeypatch.setattr(on_ray, "read_packed", dying)
    monkeypatch.setattr(on_ray, "RETRIES", 0)
    with pytest.raises(WorkerLost, match=r"a\.jsonl: bytes [\d,]+ to [\d,]+: the Ray task"):
        read_files([FileRequest(run, "rollouts")], [KNOWN], ray)


@pytest.mark.slow
def test_an_analysis_on_ray_is_the_local_one(run: Path, ray: OnRay, tmp_path: Path) -> None:
    made = {}
    for engine in ("local", "ray"):
        options = blade.Options(cache=False, engine=engine)
        runs = blade.read(run, options=options)
        blade.write(tmp_path / engine, runs, blade.analyze_runs(runs, options))
        made[engine] = (tmp_path / engine / "analysis.json").read_bytes()
    assert made["local"] == made["ray"]


def test_ray_that_is_not_installed_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'blade-engine\[ray\]'"):
        OnRay()


def test_an_engine_that_is_not_there(run: Path) -> None:
    with pytest.raises(UsageError, match="There are: local, ray"):
        blade.read(run, options=blade.Options(engine="spark"))
