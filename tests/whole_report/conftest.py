"""Every scenario, analysed and written once for all tests."""

from __future__ import annotations

from io import StringIO

import pytest
from tests.gym_rows import read
from tests.whole_report.reading import Told
from tests.whole_report.scenarios import SCENARIOS, Scenario

from blade import api
from blade.options import Options
from blade.renderers import terminal


def told(scenario: Scenario, factory: pytest.TempPathFactory) -> Told:
    folder = factory.mktemp(scenario.__name__)
    runs = read(*scenario(folder))
    analysis = api.analyze_runs(runs, Options(cache=False))
    api.write(folder / "report", runs, analysis, full=True)
    screen = StringIO()
    terminal.summary(analysis, [], screen)
    markdown, page = ((folder / "report" / name).read_text(encoding="utf-8") for name in ("report.md", "report.html"))
    pictures = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "report" / "assets").glob("*.svg")}
    return Told(analysis, markdown, page, screen.getvalue(), pictures)


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(SCENARIOS["clean"], tmp_path_factory)


@pytest.fixture(scope="session")
def outage(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(SCENARIOS["outage"], tmp_path_factory)


@pytest.fixture(scope="session")
def foreign_and_copies(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(SCENARIOS["foreign_and_copies"], tmp_path_factory)


@pytest.fixture(scope="session")
def changed_verifier(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(SCENARIOS["changed_verifier"], tmp_path_factory)


@pytest.fixture(scope="session")
def other_tasks(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(SCENARIOS["other_tasks"], tmp_path_factory)
