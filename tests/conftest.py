"""Runs made once for many tests, and settings that keep a busy machine from failing them."""

from __future__ import annotations

import gc
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.made_demo import Demo, make_demo

import blade
from blade.simulate import Scenario, cause, write_run

_CACHES = count()
LENIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("blade", LENIENT, max_examples=15, derandomize=True)
settings.register_profile("thorough", LENIENT, max_examples=100)
settings.load_profile("blade")


def pytest_configure() -> None:
    """What collection makes is kept: looking for garbage in it took a third of its time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Five thousand tests and their modules stay to the end: no search for garbage need walk through them."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("BLADE_CACHE_DIR", str(tmp_path_factory.getbasetemp() / f"cache-{next(_CACHES)}"))


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


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return make_demo(tmp_path_factory.mktemp("demo"))
