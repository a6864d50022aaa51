"""A real Chromium, driven by Playwright; the accessibility checker from npm; a viewer that answers on this machine.

What is not there is said, and the tests that need it are skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright

from blade.options import Options
from blade.viewer import server
from blade.viewer.gathering import gather
from blade.viewer.guard import rules_for
from blade.viewer.index import Index

ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
AXE = "axe-core@4.10"
Open = Callable[..., str]


def chromium_path() -> str | None:
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium on this machine: install the package 'chromium'")
    with sync_playwright() as started:
        made = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, installed once into a cache folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "blade-tests" / AXE.replace("@", "-")
    source = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not source.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("no npm on this machine: the accessibility checker cannot be installed")
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            npm,
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
            str(folder),
            AXE,
        ]
        done = subprocess.run(command, capture_output=True, check=False, timeout=300)
        if done.returncode or not source.exists():
            pytest.skip("npm cannot install axe-core here")
    return source.read_text(encoding="utf-8")


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
