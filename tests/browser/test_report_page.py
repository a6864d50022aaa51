"""report.html in a real browser, opened from the disk: what a reader does with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.browser.conftest import Barriers


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The page from the disk; an error, a refused load or a request to anywhere fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    made = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    made.on("console", lambda message: said.append(message.text))
    made.on("pageerror", lambda error: said.append(str(error)))
    made.on("request", lambda request: asked.append(request.url))
    made.goto(report.as_uri())
    yield made
    context.close()
    assert said == []
    assert [url for url in asked if not url.startswith("file:")] == []


def test_a_click_on_a_ledger_bar_opens_its_tasks(page: Page) -> None:
    part = page.locator("#part-0")
    assert not part.is_visible()
    page.locator("#picture-waterfall svg a").first.click()
    assert part.is_visible()
    assert part.locator("a.chip").count() >= 5
    part.locator("a.chip").first.click()
    assert "desk-2-" in page.locator("#matrix tr:target").inner_text()


def test_a_quote_leads_to_the_message_it_stands_in(page: Page) -> None:
    link = page.locator("#modes a.evidence").first
    quote = page.locator("#modes figure.quote blockquote").first.inner_text()
    link.click()
    panel = page.locator("#panel")
    assert panel.is_visible()
    assert panel.locator("mark").inner_text() == quote
    assert "rollouts.jsonl:" in panel.inner_text()
    assert "stands there" in panel.inner_text()
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    assert link.evaluate("node => node === document.activeElement")


def test_a_column_sorts_by_its_numbers_and_back(page: Page) -> None:
    page.locator("#matrix th", has_text="Change").get_by_role("button").click()
    moved = page.locator("#matrix tbody td.num").all_inner_texts()
    numbers = [float(words.split()[0].replace("−", "-")) for words in moved]
    assert numbers[0] > 0 > numbers[-1]
    assert numbers == sorted(numbers, reverse=True)
    page.locator("#matrix th[aria-sort=descending] button").click()
    assert page.locator("#matrix th[aria-sort=ascending]").inner_text().startswith("Change")
    assert page.locator("#matrix tbody td.num").first.inner_text() == moved[-1]


def test_the_navigation_marks_the_view_that_is_read(page: Page) -> None:
    current = page.locator("header nav a[aria-current]")
    assert current.all_inner_texts() == ["Verdict"]
    page.get_by_role("link", name="Link to Failure modes").click()
    page.wait_for_function("() => document.querySelector('header nav a[aria-current]').textContent === 'Failure modes'")
    assert page.url.endswith("#modes")
    assert current.count() == 1


def test_checks_that_found_nothing_are_folded_under_those_that_did(page: Page) -> None:
    health = page.locator("#health > .trust")
    assert health.locator("> table tr.state-well, > table tr.state-open").count() == 0
    assert health.locator("> table tr").count() >= 1
    well = health.locator("details tr.state-well").first
    assert not well.is_visible()
    health.locator("summary").click()
    assert well.is_visible()


def test_the_trust_panel_shows_problems_and_folds_what_is_well(page: Page) -> None:
    panel = page.locator("#verdict .trust")
    states = panel.locator("tr:visible").evaluate_all("rows => rows.map((row) => row.className)")
    assert states
    assert set(states) <= {"state-bad", "state-look"}
    assert states == sorted(states), "what moves the score comes first"
    folded = panel.locator("tr.state-well").first
    assert not folded.is_visible()
    panel.locator("summary").click()
    assert folded.is_visible()


def test_a_word_of_the_field_has_a_tooltip_that_explains_it(page: Page) -> None:
    term = page.locator("#verdict thead abbr[title]", has_text="95% interval").first
    assert term.evaluate("node => getComputedStyle(node).cursor") == "help"
    assert "95" in (term.get_attribute("title") or "")
    assert len(term.get_attribute("title") or "") > 30


def test_a_picture_stays_readable_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    drawn = page.locator("#picture-waterfall svg").bounding_box()
    assert drawn is not None
    assert drawn["width"] > 500, "it scrolls in its own frame and does not shrink"
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_filters_narrow_the_matrix_and_stay_in_the_address(page: Page, report: Path) -> None:
    rows = page.locator("#matrix tbody tr:visible")
    assert rows.count() == 40
    page.get_by_label("Change", exact=True).select_option("down")
    fewer = rows.count()
    assert 0 < fewer < 40
    assert page.locator("#matched").inner_text() == f"{fewer} of 40 tasks"
    page.get_by_label("Find").fill("desk-2-00016")
    assert rows.count() == 1
    assert "change=down" in page.url
    page.goto(report.as_uri() + "?change=down")
    assert rows.count() == fewer
    page.get_by_label("Find").fill("no such task")
    assert page.locator("#no-match").is_visible()


@pytest.mark.slow
def test_a_move_between_buckets_is_a_filter(page: Page) -> None:
    page.get_by_text("How many tasks went from which bucket to which").click()
    link = page.locator("table.moves a").first
    many = link.inner_text()
    link.click()
    assert page.locator("#matched").inner_text() == f"{many} of 40 tasks"
    assert "moves=always-always" in page.url


@pytest.mark.slow
def test_a_stage_of_the_funnel_opens_the_tasks_lost_there(page: Page) -> None:
    step = page.locator("#funnel details.part").nth(1)
    step.locator("summary").click()
    step.locator("a.chip").first.click()
    assert "desk-2-" in page.locator("#matrix tr:target").inner_text()


@pytest.mark.slow
def test_a_deep_link_opens_the_item_of_a_twin(page: Page, report: Path) -> None:
    anchor = page.locator(".half.parting > article").first.get_attribute("id")
    page.goto(f"{report.as_uri()}#{anchor}")
    item = page.locator(f"#{anchor}")
    assert item.is_visible()
    assert item.evaluate(
        "node => { const at = node.getBoundingClientRect(); return at.top >= 0 && at.top < innerHeight }"
    )


@pytest.mark.slow
def test_a_deep_link_to_evidence_opens_its_place(page: Page, report: Path) -> None:
    target = page.locator("a.evidence").first.get_attribute("href")
    page.goto(f"{report.as_uri()}{target}")
    assert page.locator(f"{target} mark").is_visible()


@pytest.mark.slow
def test_a_twin_stands_side_by_side(page: Page) -> None:
    page.locator("details.twin > summary").first.click()
    twin = page.locator("#twin-0")
    assert twin.locator(".here").first.is_visible()
    heads = twin.locator(".beside.head h4")
    left, right = heads.nth(0).bounding_box(), heads.nth(1).bounding_box()
    assert left is not None
    assert right is not None
    assert abs(left["y"] - right["y"]) < 2
    assert left["x"] + left["width"] <= right["x"] + 1
    twin.get_by_role("link", name="where they part").click()
    assert twin.locator(".parting > article").first.evaluate(
        "node => { const at = node.getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight }"
    )
    assert "passes" in heads.nth(0).inner_text()
    assert "fails" in heads.nth(1).inner_text()


@pytest.mark.slow
def test_it_prints(page: Page) -> None:
    printed = page.pdf(format="A4", print_background=True)
    assert printed.startswith(b"%PDF")
    assert 4 <= len(re.findall(rb"/Type /Page\b(?!s)", printed)) <= 12
    page.set_viewport_size({"width": 720, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 720, "a page of paper is wide enough"
    assert not page.locator("#filters").is_visible()
    assert not page.locator("header.top").is_visible()
    assert page.locator("#verdict").is_visible()
    assert "tasks after the thirtieth" in page.locator(".on-paper").inner_text(), "what is not printed is named"


FEW_OF_EACH = """() => {
  for (const kind of ["tbody > tr", ".part", ".mode", "#places > *", ".twin", ".beside", ".story", ".tasks > .chip"])
    for (const list of new Set([...document.querySelectorAll(kind)].map((at) => at.parentElement)))
      for (const at of [...list.children].filter((one) => one.matches(kind)).slice(3)) at.remove();
  for (const at of document.querySelectorAll("details")) at.open = true;
}"""
"""All that is folded opens; of many things of the same kind three are enough."""


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_serious_barrier(browser: Browser, report: Path, barriers: Barriers, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(report.as_uri())
    page.evaluate(FEW_OF_EACH)
    assert barriers(page, scheme) == []
    context.close()


def test_it_can_be_read_without_scripts(browser: Browser, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False, reduced_motion="reduce")
    page = context.new_page()
    page.goto(report.as_uri())
    assert "−11.2 pp" in page.locator("#verdict").inner_text()
    assert page.locator("#matrix tbody tr").count() == 40
    assert page.locator("#matrix tbody tr").first.is_visible()
    assert not page.locator("#filters").is_visible()
    page.locator("#picture-waterfall svg a").first.click()
    assert page.locator("#part-0 a.chip").first.is_visible()
    target = page.locator("#part-0 a.evidence").first
    href = target.get_attribute("href")
    target.click()
    assert page.locator(f"{href} mark").is_visible()
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_nothing_is_wider_than_the_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("() => { for (const at of document.querySelectorAll('details')) at.open = true }")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_place_of_a_quote_breaks_instead_of_widening_the_page(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("() => { for (const at of document.querySelectorAll('details')) at.open = true }")
    assert page.locator("a.evidence").count() > 3
    links = "() => { for (const at of document.querySelectorAll('a.evidence')) at.textContent = 'row_'.repeat(90) }"
    page.evaluate(links)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_navigation_of_a_narrow_window_follows_the_section(browser: Browser, report: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    narrow = context.new_page()
    narrow.goto(report.as_uri())
    narrow.locator("#fixes").evaluate("node => node.scrollIntoView()")
    narrow.wait_for_timeout(200)
    link = narrow.locator("header nav a[aria-current]").bounding_box()
    bar = narrow.locator("header nav").bounding_box()
    assert link is not None
    assert bar is not None
    assert bar["x"] <= link["x"]
    assert link["x"] + link["width"] <= bar["x"] + bar["width"] + 1
    context.close()


def test_the_triangle_of_what_was_expected_stands_beside_its_title(page: Page) -> None:
    """A heading in a summary is a block of its own: its triangle then stood alone in the line above."""
    panel = "<details class='card expected' open><summary><h4>Expected against done</h4></summary></details>"
    page.locator("#twins").evaluate("(node, panel) => node.insertAdjacentHTML('beforeend', panel)", panel)
    shown = page.locator(".expected > summary > h4").first.evaluate("node => getComputedStyle(node).display")
    assert shown == "inline"
