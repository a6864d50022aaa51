"""A real Chromium driven by Playwright, the demo's report, a viewer that answers, and the accessibility checker.

All are made once for all tests. Where no Chromium is there, the tests are skipped and say so.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, sync_playwright

import blade
from blade import api
from blade.index.build_index import gather
from blade.index.tables import Index
from blade.options import Options
from blade.simulate import demo_pair
from blade.viewer import server
from blade.viewer.guard import rules_for

ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
NAMES = ("chromium", "chromium-browser", "google-chrome")
Barriers = Callable[[Page, str], list[tuple[str, list[str]]]]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium on this machine: install the package 'chromium'")
    with sync_playwright() as started:
        made = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="session")
def barriers() -> Barriers:
    """What axe-core calls serious or critical on a page, with the places; on a dark page only colours are looked at."""

    def found(page: Page, scheme: str) -> list[tuple[str, list[str]]]:
        options = {"resultTypes": ["violations"], **({"runOnly": ["color-contrast"]} if scheme == "dark" else {})}
        return [
            (one["id"], [node["html"][:160] for node in one["nodes"][:3]])
            for one in Axe().run(page, options=options).response["violations"]
            if one["impact"] in {"serious", "critical"}
        ]

    return found


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The two runs of the demo."""
    return list(demo_pair(tmp_path_factory.mktemp("demo") / "runs"))


@pytest.fixture(scope="session")
def report(demo: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's `report.html`."""
    folder = tmp_path_factory.mktemp("page")
    options = blade.Options(cache=False, benchmark="front_desk")
    runs = blade.read(*demo, options=options)
    api.write(folder, runs, blade.analyze_runs(runs, options))
    return folder / "report.html"


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Index], str]]:
    """Serve an index; the address comes back without its last slash."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def begin(index: Index) -> str:
        listening = server.listen("127.0.0.1", 0, 0)
        app = server.application(index, rules_for("127.0.0.1", None))
        made = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        running.append((made, thread))
        while not made.started:
            time.sleep(0.02)
        return server.address(listening, "127.0.0.1", None).rstrip("/")

    yield begin
    for made, thread in running:
        made.should_exit = True
        thread.join(5)


@pytest.fixture(scope="session")
def index_of() -> Callable[..., Index]:
    return lambda *paths: gather([str(path) for path in paths], Options(cache=False))


@pytest.fixture(scope="session")
def site(demo: list[Path], serve: Callable[[Index], str], index_of: Callable[..., Index]) -> str:
    """A viewer on the two runs of the demo."""
    return serve(index_of(*demo))
