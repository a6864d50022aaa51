"""Runs behind a URL, read by ranges from a real S3 server that this test starts."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from polars.testing import assert_frame_equal
from tests.gym_rows import row, write

import blade
from blade.engine import engines, ranges
from blade.errors import InputError, NoRuns, NotFound, UsageError
from blade.evidence import open_row
from blade.facts.cache import FactsCache
from blade.files import remote_paths

BUCKET = "runs"
ROWS = [row(n, reward=n % 2, text=f"answer {n} " * 60) for n in range(12)]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server of the S3 protocol on a free port of this machine."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - slow to import

    made = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    made.start()
    host, port = made.get_host_and_port()
    yield f"http://{host}:{port}"
    made.stop()


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The store behind s3://, and the environment in which every process finds it."""
    s3fs = pytest.importorskip("s3fs")
    conf = {"AWS_ENDPOINT_URL": server, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    for name, value in {**conf, "AWS_DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    found = s3fs.S3FileSystem()
    found.mkdir(BUCKET)
    yield found
    found.rm(BUCKET, recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = write(tmp_path / "a_rollouts.jsonl", [*ROWS, b"{broken"])
    write(tmp_path / "a_rollouts_materialized_inputs.jsonl", [{"_ng_task_index": n} for n in range(14)])
    return path


def put(store: Any, path: Path, key: str) -> str:
    store.pipe(f"{BUCKET}/{key}", path.read_bytes())
    store.invalidate_cache()
    return f"s3://{BUCKET}/{key}"


def assert_same_run(one: blade.Run, two: blade.Run) -> None:
    assert_frame_equal(one.facts, two.facts)
    assert [(flaw.slug, flaw.statement, flaw.line) for flaw in one.raw.flaws] == [
        (flaw.slug, flaw.statement, flaw.line) for flaw in two.raw.flaws
    ]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_in_a_store_is_read_by_ranges(
    store: Any, run: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "SMALLEST", 3000)
    monkeypatch.setattr(engines, "SMALL", 0)
    url = put(store, run, "deep/a_rollouts.jsonl")
    (there,) = blade.read(url, options=blade.Options(cache=False, workers=workers))
    (here,) = blade.read(run, options=blade.Options(cache=False))
    assert there.facts.height == 12
    assert_frame_equal(there.facts.drop("file"), here.facts.drop("file"))
    assert there.raw.sources == [url]


def test_a_folder_in_a_store_has_its_sidecars(store: Any, run: Path) -> None:
    for path in (run, *run.parent.glob("*_inputs.jsonl")):
        put(store, path, f"deep/{path.name}")
    (there,) = blade.read(f"s3://{BUCKET}/deep", options=blade.Options(cache=False))
    (here,) = blade.read(run.parent, options=blade.Options(cache=False))
    assert_same_run(there, here)
    assert (there.expected.total, there.name) == (here.expected.total, "a")


def test_a_compressed_run_and_a_pattern(store: Any, run: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    put(store, packed, "x/b-rs0.jsonl.gz")
    put(store, run, "x/b-rs1.jsonl")
    (there,) = blade.read(f"s3://{BUCKET}/x/b-rs*", options=blade.Options(cache=False))
    assert there.facts.height == 24
    assert len(there.raw.sources) == 2


def test_evidence_in_a_store_is_opened_by_a_seek(store: Any, run: Path) -> None:
    (there,) = blade.read(put(store, run, "a_rollouts.jsonl"), options=blade.Options(cache=False))
    for rollout in there.rollouts():
        assert open_row(rollout.source)["_ng_task_index"] == int(rollout.task)


def test_a_report_on_a_run_in_a_store(store: Any, run: Path, tmp_path: Path) -> None:
    url = put(store, run, "a_rollouts.jsonl")
    options = blade.Options(cache=False)
    runs = blade.read(url, options=options)
    blade.write(tmp_path / "out", runs, blade.analyze_runs(runs, options))
    made = orjson.loads((tmp_path / "out" / "analysis.json").read_bytes())
    assert made["runs"][0]["files"][0]["path"] == url


def test_the_cache_knows_a_run_in_a_store_by_its_tag(store: Any, run: Path, tmp_path: Path) -> None:
    url = put(store, run, "a_rollouts.jsonl")
    options = blade.Options(cache_dir=tmp_path / "kept")
    first = blade.read(url, options=options)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blade.engine.engines.read_piece", None)
        assert_same_run(blade.read(url, options=options)[0], first)
    store.pipe(f"{BUCKET}/a_rollouts.jsonl", run.read_bytes().replace(b'"reward": 1', b'"reward": 0'))
    store.invalidate_cache()
    assert blade.read(url, options=options)[0].facts["reward"].sum() == 0
    assert FactsCache(tmp_path / "kept").info()[0] == 2


def test_what_is_not_in_the_store_is_said(store: Any, run: Path) -> None:
    with pytest.raises(NotFound, match="there is nothing at this path"):
        blade.read(f"s3://{BUCKET}/nothing.jsonl")
    (notes := run.parent / "notes.md").write_text("# notes\n")
    with pytest.raises(NoRuns, match="no rollouts in this file"):
        blade.read(put(store, notes, "notes.md"))


def test_a_store_that_cannot_be_reached_is_said(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    type(store).clear_instance_cache()
    with pytest.raises(InputError, match="cannot be reached"):
        blade.read(f"s3://{BUCKET}/a.jsonl")


def test_a_missing_driver_is_named_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UsageError, match=r"pip install 'blade-engine\[gcs\]'"):
        blade.read("gs://bucket/a.jsonl")
    with pytest.raises(UsageError, match="a URL that fsspec knows"):
        blade.read("nosuch://bucket/a.jsonl")
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(UsageError, match=r"pip install 'blade-engine\[s3\]'"):
        remote_paths.place("s3://bucket/a.jsonl")
