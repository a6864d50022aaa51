"""report.html of many runs in a real browser: all of them in one window, and two of them picked out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.gym_rows import row, write

import blade
from blade import api

NAMES = [f"a-model-of-{run}-with-a-rather-long-name-of-its-own" for run in range(6)]
LINES_OF_TEXT = """(cells) => cells.map((at) => {
  const range = document.createRange();
  range.selectNodeContents(at);
  return range.getClientRects().length;
})"""


@pytest.fixture(scope="module")
def many_runs_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Run r passes the first r of six tasks."""
    folder: Path = tmp_path_factory.mktemp("many_runs_page")
    paths = []
    for run, name in enumerate(NAMES):
        rows = [row(task, attempt, float(task < run)) for task in range(6) for attempt in range(2)]
        paths.append(f"{name}={write(folder / f'r{run}.jsonl', rows)}")
    options = blade.Options(cache=False)
    runs = blade.read(*paths, options=options)
    api.write(folder / "out", runs, blade.analyze_runs(runs, options))
    return (folder / "out" / "report.html").as_uri()


def test_two_of_many_runs_are_picked_and_the_change_is_theirs(browser: Browser, many_runs_page: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(many_runs_page)
    heads = page.locator("#matrix thead .run:visible")
    assert heads.all_inner_texts() == NAMES
    changes = page.locator("#matrix td.moved")
    assert changes.all_inner_texts().count("+100.0 pp") == 5, "from the first run to the last"
    page.get_by_label("Compare").select_option(NAMES[4])
    page.get_by_label("with", exact=True).select_option(NAMES[2])
    assert heads.all_inner_texts() == [NAMES[2], NAMES[4]]
    assert sorted(changes.all_inner_texts()) == ["0.0 pp"] * 4 + ["−100.0 pp"] * 2
    assert page.locator("#pair-words").inner_text().startswith(f"Change is from {NAMES[4]} to {NAMES[2]}.")
    page.get_by_label("Change", exact=True).select_option("down")
    assert page.locator("#matched").inner_text() == "2 of 6 tasks"
    page.reload()
    assert heads.all_inner_texts() == [NAMES[2], NAMES[4]], "the address keeps the pair"
    page.close()


def test_the_ledger_of_every_comparison_can_be_picked(browser: Browser, many_runs_page: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(many_runs_page)
    titles = page.locator("#ledger .comparison:visible > h3")
    assert titles.count() == 1
    assert titles.inner_text().startswith(f"{NAMES[5]} against {NAMES[0]}: +83.3 pp")
    picker = page.get_by_label("Comparison", exact=True)
    assert picker.locator("option").count() == 5
    label = next(words for words in picker.locator("option").all_inner_texts() if words.startswith(NAMES[2]))
    picker.select_option(label=label)
    assert label.startswith(f"{NAMES[2]} against {NAMES[0]}: +33.3 pp, ")
    assert titles.all_inner_texts() == [label]
    part = page.locator("#ledger .comparison:visible details.part").first
    part.locator("summary").click()
    assert part.locator("a.chip").count() == 2, "its two tasks"
    anchor = page.locator("#ledger .comparison[hidden] .sides").first.get_attribute("id")
    page.goto(f"{many_runs_page}#{anchor}")
    assert page.locator(f"#{anchor}").is_visible(), "an address opens its comparison"
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_many_runs_are_no_wider_than_the_window(browser: Browser, many_runs_page: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(many_runs_page)
    page.evaluate("() => { for (const at of document.querySelectorAll('details')) at.open = true }")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.close()


def test_many_runs_print_on_few_pages(browser: Browser, many_runs_page: str) -> None:
    page = browser.new_page(viewport={"width": 720, "height": 1000})
    page.goto(many_runs_page)
    assert len(re.findall(rb"/Type /Page\b(?!s)", page.pdf(format="A4", print_background=True))) <= 12
    page.emulate_media(media="print")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 720, "a page of paper is wide enough"
    assert "the words of each comparison, the slices and the denominator" in page.locator(".on-paper").inner_text()
    assert not page.locator("#section-slices").is_visible()
    page.close()


def test_the_columns_of_three_runs_stay_in_one_line_on_paper(browser: Browser, tmp_path: Path) -> None:
    """Long names of tasks and five attempts of each run left the last columns a letter wide."""
    paths = []
    for run in range(3):
        rows = [row(task, attempt, float(task < run)) for task in range(4) for attempt in range(5)]
        paths.append(f"run-{run}-of-a-long-name={write(tmp_path / f'r{run}.jsonl', rows)}")
    options = blade.Options(cache=False)
    runs = blade.read(*paths, options=options)
    api.write(tmp_path / "out", runs, blade.analyze_runs(runs, options))
    page = browser.new_page(viewport={"width": 720, "height": 1000})
    page.goto((tmp_path / "out" / "report.html").as_uri())
    page.emulate_media(media="print")
    page.evaluate(
        "() => { for (const at of document.querySelectorAll('#matrix th code')) at.textContent = 'ab-'.repeat(20) }"
    )
    lines = page.locator("#matrix td.moved").evaluate_all(LINES_OF_TEXT)
    assert set(lines) == {1}
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 720
    page.close()
