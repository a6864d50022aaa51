"""A report on hostile runs, in a browser that would notice if any of their text ran, loaded or hid something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page
from tests.browser.hostile import TEXTS, write_hostile

import blade
from blade import api
from blade.renderers.html import render

LONGEST = 3_000_000
NAMES = ('a" onmouseover="x', "<script>alert(1)</script>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on two hostile runs with hostile names; one has a message longer than a report may be."""
    place = tmp_path_factory.mktemp("hostile")
    options = blade.Options(cache=False, benchmark="<img src=x onerror=alert(1)>")
    runs = []
    for number, name in enumerate(NAMES):
        path = write_hostile(place / f"run{number}", 0 if number else LONGEST + 1)
        (run,) = blade.read(path, options=options)
        object.__setattr__(run, "name", name)
        runs.append(run)
    analysis = blade.analyze_runs(runs, options)
    api.write(place / "report", runs, analysis)
    plain = place / "report" / "plain.html"
    plain.write_text(render(blade.report(analysis)), encoding="utf-8", errors="replace")
    return place / "report"


@pytest.fixture(params=[False, True], ids=["with the policy", "without the policy"])
def opened(request: pytest.FixtureRequest, browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page whose every sign of execution or loading is written down; once only escaping stands in the way."""
    context = browser.new_context(bypass_csp=request.param, reduced_motion="reduce")
    page = context.new_page()
    seen: list[str] = []

    def asked_something(dialog: Dialog) -> None:
        seen.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", asked_something)
    page.on("pageerror", lambda error: seen.append(f"error {error}"))
    page.on("console", lambda message: seen.append(f"console {message.text}"))
    page.on("request", lambda asked: None if asked.url.startswith("file:") else seen.append(f"asked {asked.url}"))
    yield page, seen
    context.close()


@pytest.mark.parametrize("name", ["report.html", "plain.html"])
def test_nothing_of_a_hostile_run_runs_or_loads(folder: Path, opened: tuple[Page, list[str]], name: str) -> None:
    page, seen = opened
    page.goto((folder / name).as_uri())
    page.evaluate("() => { for (const at of document.querySelectorAll('details')) at.open = true }")
    page.mouse.move(200, 300)
    for link in page.locator("a.evidence, a.cell").all()[:20]:
        link.evaluate("node => { node.focus(); node.click(); node.dispatchEvent(new MouseEvent('mouseover')) }")
    page.wait_for_timeout(300)
    assert page.evaluate("() => window.__ran") is None
    assert seen == []
    assert page.locator("script").count() == 1
    assert page.locator("style").count() == 1
    odd = (
        "iframe, object, embed, form, img, link, base, animate, meta[http-equiv=refresh], [onload], [onerror], [style]"
    )
    assert page.locator(odd).count() == 0
    attributes = "() => [...document.querySelectorAll('*')].flatMap(at => [...at.attributes]).map(one => one.name)"
    assert [one for one in page.evaluate(attributes) if one.lower().startswith("on")] == []
    links = page.evaluate("() => [...document.querySelectorAll('a')].map(at => at.getAttribute('href'))")
    assert [link for link in links if not link.startswith(("#", "http:", "https:", "mailto:"))] == []


def test_hidden_characters_are_seen(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "⟦U+202E⟧" in text
    for char in "\u202e\u2066\x1b\x07\x08\x00\u2028\U000e0041":
        assert char not in text, hex(ord(char))


def test_pictures_of_hostile_runs_hold_only_text(folder: Path, browser: Browser) -> None:
    pictures = sorted((folder / "assets").glob("*.svg"))
    assert pictures
    page = browser.new_page()
    for picture in pictures:
        page.goto(picture.as_uri())
        assert page.locator("script, image, foreignObject, iframe, [onload]").count() == 0
        assert page.evaluate("() => window.__ran") is None
    page.close()


def test_a_very_long_message_is_cut(folder: Path) -> None:
    assert (folder / "report.html").stat().st_size < LONGEST
    assert "more characters" in (folder / "report.html").read_text(encoding="utf-8")
    assert len(TEXTS) > 20
