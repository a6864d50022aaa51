"""From a claim to the message that proves it, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import Barriers
from tests.gym_rows import message, response, row, write

from blade.index.tables import Index

LONG = 10_000


@pytest.fixture(scope="module")
def long_site(
    tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Index], str], index_of: Callable[..., Index]
) -> str:
    items: list[dict[str, Any]] = []
    for number in range(LONG // 2):
        call = {
            "type": "function_call",
            "name": "look",
            "arguments": json.dumps({"at": number}),
            "call_id": f"c{number}",
        }
        items += [
            call,
            {"type": "function_call_output", "call_id": f"c{number}", "output": f"line {number}\n" * (number % 7)},
        ]
    rows = [
        row(0, 0, 0.0, response=response(*items, message("Done."))),
        row(0, 1, 1.0, response=response(*items[:3000], message("Right."))),
    ]
    path = write(tmp_path_factory.mktemp("long") / "rollouts.jsonl", rows)
    return serve(index_of(f"rollouts={path}"))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page(viewport={"width": 1280, "height": 900})
    troubles: list[str] = []
    made.on("console", lambda told: troubles.append(told.text))
    made.on("pageerror", lambda error: troubles.append(str(error)))
    yield made
    made.close()
    assert troubles == []


@pytest.mark.slow
def test_from_the_verdict_to_the_quoted_message(site: str, page: Page) -> None:
    page.goto(site)
    expect(page.get_by_role("heading", name="What changed")).to_be_visible()
    page.locator(".verdict table tbody a").first.click()
    expect(page.locator(".chosen .chip")).to_have_count(1)
    page.locator("table.tasks tbody tr").first.locator("a.cell.outcome-fail, a.cell.outcome-broken").first.click()
    expect(page.get_by_role("heading", name="Findings")).to_be_visible()
    page.locator("a[data-mark]").first.click()
    expect(page.locator("mark.now")).to_be_in_viewport()
    assert "#mark-" in page.url
    page.mouse.wheel(0, 5000)
    expect(page.get_by_role("heading", name="Findings")).to_be_in_viewport()


@pytest.mark.slow
def test_filters_stand_in_the_address_and_survive_a_reload(site: str, page: Page) -> None:
    page.goto(site + "/tasks")
    page.get_by_label("Bucket").select_option("never")
    page.wait_for_url("**bucket=never**")
    count = page.locator(".chosen").inner_text()
    assert re.match(r"\d+ tasks? of 40", count)
    page.reload()
    assert page.locator(".chosen").inner_text() == count
    page.get_by_label("Mode").select_option(index=1)
    page.wait_for_url("**mode=**")
    assert "bucket=never" in page.url
    page.locator(".chosen .chip").first.click()
    assert "bucket=never" not in page.url
    assert "mode=" in page.url


def press(page: Page, key: str) -> None:
    """Press a key once the page hears it: its script runs when the page has come whole."""
    page.wait_for_load_state("domcontentloaded")
    page.keyboard.press(key)


@pytest.mark.slow
def test_next_and_previous_stay_in_the_selection(site: str, page: Page) -> None:
    page.goto(site + "/tasks?bucket=never&run=candidate&sort=name")
    names = page.locator("table.tasks tbody th a").all_inner_texts()
    page.keyboard.press("j")
    expect(page.locator("table.tasks tbody th a").nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("table.tasks tbody th a").nth(1)).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Task {names[0]}")
    press(page, "]")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Task {names[1]}")
    press(page, "[")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Task {names[0]}")
    press(page, "u")
    page.wait_for_url("**/tasks?**bucket=never**")


@pytest.mark.slow
def test_a_twin_marks_where_the_attempts_part(site: str, page: Page) -> None:
    page.goto(site + "/tasks?bucket=sometimes&run=candidate")
    page.locator("table.tasks tbody th a").first.click()
    page.get_by_role("link", name="candidate: a pass and a failure").click()
    expect(page.locator(".pair.parts").first).to_be_visible()
    expect(page.locator(".here").first).to_have_text("They differ from here on")
    left, right = (page.locator(".pair.parts").first.locator("> div").nth(side).bounding_box() for side in (0, 1))
    assert left is not None
    assert right is not None
    assert abs(left["y"] - right["y"]) < 2, "both sides stand in one row and scroll together"


@pytest.mark.slow
def test_search_finds_tasks_tools_findings_and_text(site: str, page: Page) -> None:
    page.goto(site)
    page.keyboard.press("/")
    page.keyboard.type("shifts_search")
    page.keyboard.press("Enter")
    expect(page.locator("#s-tools + ul li").first).to_contain_text("shifts_search")
    expect(page.locator("#s-findings + ul li").first).to_be_visible()
    page.wait_for_selector(".hits:not([data-src]) li")
    page.locator(".hits li a").first.click()
    expect(page.locator(".item:focus")).to_be_in_viewport()


@pytest.mark.slow
@pytest.mark.parametrize("item", [0, 99, 4321, 9999, 10000])
def test_a_deep_link_reaches_any_of_ten_thousand_items(long_site: str, page: Page, item: int) -> None:
    page.goto(long_site + f"/transcript?of=rollouts&task=0&attempt=0#item-{item}")
    expect(page.locator(f"#item-{item}")).to_be_in_viewport(timeout=15_000)


@pytest.mark.slow
def test_ten_thousand_items_load_lazily_and_scroll_smoothly(long_site: str, page: Page) -> None:
    page.goto(long_site + "/transcript?of=rollouts&task=0&attempt=0")
    assert page.locator(".item").count() <= 300
    slow = page.evaluate(
        """async () => {
          const waits = []; let last = performance.now();
          for (let n = 0; n < 150; n++) {
            window.scrollBy(0, 700);
            await new Promise(requestAnimationFrame);
            const now = performance.now(); waits.push(now - last); last = now;
          }
          waits.sort((a, b) => a - b);
          return waits[Math.floor(waits.length * 0.9)];
        }"""
    )
    assert slow < 400, f"nine frames of ten within {slow:.0f} ms"
    assert page.locator(".item").count() > 300
    page.goto(long_site + "/transcript?of=rollouts&task=0&attempt=0&at=5000")
    expect(page.locator("#item-5000")).to_be_attached()
    page.goto(long_site + "/twin?task=0&left_of=rollouts&left=1&right_of=rollouts&right=0")
    expect(page.locator(".pair.parts").first).to_be_visible()


@pytest.mark.slow
def test_pages_can_be_read_without_scripts(site: str, browser: Browser) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(site + "/tasks")
    page.locator("table.tasks tbody a.cell").first.click()
    expect(page.locator(".item").first).to_be_visible()
    page.context.close()


PLACES = ("/", "/tasks", "task", "transcript", "twin", "/search?q=shift")
EMPTY = ("/tasks?bucket=never&q=zzz", "/search", "/nowhere")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "scheme"),
    [*((place, "light") for place in (*PLACES, *EMPTY)), *((place, "dark") for place in PLACES[1::2])],
)
def test_no_serious_accessibility_violation(
    site: str, browser: Browser, barriers: Barriers, place: str, scheme: Any
) -> None:
    page = browser.new_context(color_scheme=scheme, bypass_csp=True).new_page()
    page.goto(site + (place if place.startswith("/") else "/tasks?bucket=sometimes&run=candidate"))
    if not place.startswith("/"):
        page.locator("table.tasks tbody th a").first.click()
        if place == "transcript":
            page.locator("main a[data-row]").first.click()
        if place == "twin":
            page.get_by_role("link", name="candidate: a pass and a failure").click()
    page.wait_for_timeout(200)
    assert barriers(page, scheme) == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("place", ["/", "/tasks", "/search?q=shift"])
def test_nothing_is_cut_off(site: str, page: Page, place: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(site + place)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_tasks_of_twelve_runs_stand_in_one_window(
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
    serve: Callable[[Index], str],
    index_of: Callable[..., Index],
) -> None:
    folder = tmp_path_factory.mktemp("twelve")
    rows = [row(task, attempt, float(attempt)) for task in range(2) for attempt in range(4)]
    runs = [f"a-model-of-{run}={write(folder / f'r{run}.jsonl', rows)}" for run in range(12)]
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(serve(index_of(*runs)) + "/tasks")
    assert page.locator(".many-runs .rate").count() == 24
    wide = page.locator(".wide:has(.many-runs)")
    assert wide.evaluate("node => node.scrollWidth <= node.clientWidth")
    names = page.locator(".many-runs thead th").first
    assert names.evaluate("node => getComputedStyle(node).position") == "sticky", "a long list still names its columns"
    assert wide.evaluate("node => node.clientHeight < innerHeight")
    page.get_by_label("Compare").select_option("a-model-of-3")
    page.wait_for_url("**base=a-model-of-3**")
    assert page.locator("table.tasks thead .run").all_inner_texts() == ["a-model-of-3", "a-model-of-11"]
    page.close()
