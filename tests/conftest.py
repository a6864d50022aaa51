"""Runs made once for many tests, and settings that keep a busy machine from failing them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import blade
from blade import api
from blade.counting.run import Run
from blade.simulate import Scenario, cause, demo_pair, write_run

settings.register_profile("blade", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("blade")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def front_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tool-agent run with all its sidecars."""
    return write_run(Scenario(tasks=12, repeats=3, seed=3), tmp_path_factory.mktemp("front_desk"))


@pytest.fixture(scope="session")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A question-answer run with an outage in its rows, lost formats and missing rows."""
    causes = (cause("lost_format", share=0.2), cause("outage"), cause("missing_rows", share=0.1))
    scenario = Scenario(benchmark="field_notes", tasks=30, repeats=4, seed=5, causes=causes)
    return write_run(scenario, tmp_path_factory.mktemp("broken"))


@pytest.fixture(scope="session")
def uncached() -> blade.Options:
    return blade.Options(cache=False)


@dataclass(frozen=True)
class Demo:
    """The two runs of `blade demo`, read, analysed and written; not to be changed."""

    paths: tuple[Path, Path]
    runs: list[Run]
    analysis: blade.Analysis
    folder: Path
    """What one analysis leaves on disk."""


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, uncached: blade.Options) -> Demo:
    place = tmp_path_factory.mktemp("demo")
    paths = demo_pair(place / "runs")
    runs = blade.read(*paths, options=uncached)
    analysis = blade.analyze_runs(runs, uncached)
    api.write(place / "report", runs, analysis)
    return Demo(paths, list(runs), analysis, place / "report")
