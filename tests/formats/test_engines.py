"""Runs of every format are read alike in one piece or in many, from the cache, by several workers and on Ray."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from blade import api
from blade.engine import ranges
from blade.engine.on_ray import OnRay
from blade.options import Options
from blade.registry import plugins
from blade.translate import spool

FORMATS = sorted(plugins("formats"))


def paths_of(name: str, folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    return list(import_module(f"tests.formats.samples.{name}").write(folder))


def analysis_of(paths: list[Path], out: Path, options: Options) -> bytes:
    runs = api.read(*paths, options=options)
    api.write(out, runs, api.analyze_runs(runs, options))
    return (out / "analysis.json").read_bytes()


@pytest.mark.parametrize("name", FORMATS)
def test_many_pieces_and_the_cache_give_what_one_piece_gives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = paths_of(name, tmp_path / "runs")
    whole = analysis_of(paths, tmp_path / "whole", Options(cache=False, workers=1))
    monkeypatch.setattr(ranges, "SMALLEST", 300)
    assert analysis_of(paths, tmp_path / "cut", Options(workers=1)) == whole

    def refused(*_: object) -> None:
        pytest.fail("translated again, though nothing has changed")

    monkeypatch.setattr(spool, "_write", refused)
    assert analysis_of(paths, tmp_path / "kept", Options(workers=1)) == whole


@pytest.fixture(scope="module")
def ray() -> Iterator[OnRay]:
    pytest.importorskip("ray")
    with OnRay(workers=2) as engine:
        yield engine


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize("name", FORMATS)
def test_two_workers_and_ray_give_what_one_worker_gives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "SMALLEST", 300)
    paths = paths_of(name, tmp_path / "runs")
    alone = analysis_of(paths, tmp_path / "alone", Options(cache=False, workers=1))
    assert analysis_of(paths, tmp_path / "two", Options(cache=False, workers=2)) == alone
    assert analysis_of(paths, tmp_path / "ray", Options(cache=False, engine="ray")) == alone
