"""Nothing in a run runs, loads, hides or breaks out, on any page, in a real browser."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page
from tests.browser.hostile import TEXTS, write_hostile

from blade.index.tables import Index

RUN = "run<script>alert(1)<b>"


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Index], str], index_of: Callable[..., Index]
) -> str:
    path = write_hostile(tmp_path_factory.mktemp("hostile") / "run")
    return serve(index_of(f"{RUN}={path}"))


@pytest.fixture
def watched(browser: Browser, site: str) -> Iterator[tuple[Page, list[str]]]:
    """A page that notes everything that must not happen. Fresh for every test: one that ran could hide it."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
    page.on("popup", lambda popup: seen.append(f"popup: {popup.url}"))
    page.on("request", lambda asked: None if asked.url.startswith(site) else seen.append(f"request: {asked.url}"))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', e => console.log('policy ' + e.blockedURI))"
    )
    yield page, seen
    page.close()


@pytest.fixture(scope="module")
def addresses(site: str) -> list[str]:
    """Every page that the overview, the tasks, and one page of each kind for each task link to."""
    found, waiting = dict.fromkeys(("/", "/tasks")), ["/", "/tasks"]
    asked: set[tuple[str, str]] = set()
    with httpx.Client(base_url=site, timeout=60) as client:
        while waiting:
            body = client.get(waiting.pop(0)).text
            for link in re.findall(r'(?:href|data-src|action)="(/[^"#]*)', body):
                made = html.unescape(link)
                found[made] = None
                if made.startswith(("/task?", "/transcript?", "/twin?")) and kind_and_task(made) not in asked:
                    asked.add(kind_and_task(made))
                    waiting.append(made)
    return list(found)


def kind_and_task(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.path, parse_qs(parts.query).get("task", [""])[0]


def quiet(page: Page, seen: list[str]) -> list[str]:
    """What happened that must not have."""
    if page.evaluate("window.__ran") is not None:
        seen.append("a script of the run ran")
    return seen


def one_of_each(addresses: list[str]) -> list[str]:
    """One page of each kind for each task; of pages that belong to no task, six of each kind."""
    chosen: dict[tuple[str, str], str] = {}
    for address in addresses:
        kind, task = kind_and_task(address)
        if kind in {"/raw", "/items", "/twin-rows"} or kind.startswith("/static"):
            continue
        if kind == "/twin" and not task:
            continue  # where the form that chooses two attempts goes to
        chosen.setdefault((kind, task or str(sum(path == kind for path, _ in chosen) % 6)), address)
    return list(chosen.values())


LOOK = """() => ({
  ran: window.__ran ?? null,
  odd: document.querySelectorAll(
    "main :is(script, iframe, object, img, svg, style, base, link, meta)").length,
  attributes: [...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).map(a => a.name)
    .filter(name => /^on|^style$/.test(name)),
  protocols: [...new Set([...document.querySelectorAll("a")].map(a => a.protocol))],
  seen: document.querySelector("main").checkVisibility(),
})"""


@pytest.mark.slow
def test_every_page_shows_hostile_text_and_runs_nothing(
    site: str, addresses: list[str], watched: tuple[Page, list[str]]
) -> None:
    page, seen = watched
    pages = one_of_each(addresses)
    for address in pages:
        page.goto(urljoin(site, address), wait_until="domcontentloaded")
        found = page.evaluate(LOOK)
        assert (found["ran"], found["odd"], found["attributes"], seen) == (None, 0, [], []), address
        assert set(found["protocols"]) <= {"http:", "https:", "mailto:"}, address
        assert found["seen"], f"{address}: the page is hidden"
    assert {urlsplit(address).path for address in pages} >= {
        "/", "/tasks", "/task", "/transcript", "/twin", "/search", "/item",
    }  # fmt: skip
    assert len(pages) > 3 * len(TEXTS)


@pytest.mark.slow
def test_searching_for_hostile_words_runs_nothing(site: str, watched: tuple[Page, list[str]]) -> None:
    page, seen = watched
    for text in TEXTS.values():
        words = text.encode("utf-8", "replace").decode()[:100]
        page.goto(site + "/search", wait_until="domcontentloaded")
        page.fill("main input[name=q]", words)
        page.press("main input[name=q]", "Enter")
        page.wait_for_selector(".hits:not([data-src])")
        assert quiet(page, seen) == [], text


@pytest.mark.slow
def test_hidden_characters_are_seen(site: str, watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.goto(site + "/search?q=gnp.exe")
    shown = page.locator("main").inner_text()
    assert "⟦U+202E⟧" in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x1b\x07]", shown)


@pytest.mark.slow
def test_a_message_of_five_megabytes_opens_as_a_small_page(
    site: str, addresses: list[str], watched: tuple[Page, list[str]]
) -> None:
    page, seen = watched
    task = min(address for address in addresses if address.startswith("/transcript?") and "task=huge" in address)
    page.goto(site + task)
    assert page.evaluate("document.body.innerHTML.length") < 200_000
    page.get_by_text("show all:").first.click()
    assert "of 5,100,0" in page.locator("main").inner_text()
    assert quiet(page, seen) == []


@pytest.mark.slow
def test_raw_json_is_no_page(site: str, addresses: list[str]) -> None:
    raw = next(address for address in addresses if address.startswith("/raw"))
    answer = httpx.get(site + raw)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
