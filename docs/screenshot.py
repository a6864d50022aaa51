"""Makes docs/screenshot.png, the picture in the README: the demo's report in the system's Chromium.

Usage: python docs/screenshot.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from blade import api
from blade.options import Options
from blade.simulate import demo_pair

TARGET = Path(__file__).parent / "screenshot.png"
LARGEST = 300_000
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Simulate, analyze, open, shoot; the picture has to stay small."""
    browser = next((found for name in NAMES if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit("no Chromium on this machine: install the package 'chromium'")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        options = Options(cache=False, benchmark="front_desk")
        runs = api.read(*demo_pair(folder / "runs"), options=options)
        api.write(folder / "report", runs, api.analyze_runs(runs, options))
        shoot(browser, folder / "report" / "report.html")
    size = TARGET.stat().st_size
    if size > LARGEST:
        sys.exit(f"{TARGET.name} has {size:,} bytes, more than {LARGEST:,}")


def shoot(browser: str, page: Path) -> None:
    """The verdict and the ledger, as a reader sees them first."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=ARGUMENTS)
        context = started.new_context(viewport={"width": 1280, "height": 1180}, reduced_motion="reduce")
        opened = context.new_page()
        opened.goto(page.as_uri())
        opened.screenshot(path=TARGET)
        started.close()


if __name__ == "__main__":
    main()
