"""One cause, one number: every surface says what the ledger says of a cause, or calls its number a ceiling."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from benchmarks.planted_suite.planted_case import case

import blade
from blade.index.build_index import gather
from blade.model import Change
from blade.quoted_evidence import collect
from blade.renderers import html, json, terminal
from blade.simulate import demo_pair
from blade.summary.change_words import cause_words
from blade.viewer.views import overview
from blade.wording import difference

POINTS = re.compile(r"[+−]?\d+\.\d pp")
KINDS = ["demo", "cap_lowered", "verifier_bug_shared"]


@dataclass(frozen=True)
class Surfaces:
    """One analysis as every surface tells it."""

    kind: str
    analysis: blade.Analysis
    data: dict[str, Any]
    markdown: str
    html: str
    terminal: str
    paths: tuple[Path, Path]

    @property
    def change(self) -> Change:
        return self.analysis.changes[-1]


@pytest.fixture(scope="module", params=KINDS)
def surfaces(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Surfaces:
    kind, folder = str(request.param), tmp_path_factory.mktemp("runs")
    if kind == "demo":
        paths = demo_pair(folder)
    else:
        made = case(kind, "E2", 2, folder, tasks=24, repeats=2, dose=15.0)
        paths = (made.base, made.candidate)
    runs = blade.read(*paths, options=blade.Options(cache=False))
    analysis = blade.analyze_runs(runs)
    worded, stream = blade.report(analysis), StringIO()
    data = json.document(analysis, worded)
    page = html.page(worded, analysis, data, collect(analysis, runs))
    terminal.summary(analysis, [], stream)
    return Surfaces(kind, analysis, data, blade.render(worded), page, stream.getvalue(), paths)


def numbers(text: str) -> Iterator[tuple[str, bool]]:
    """Every number of points in a text, and whether it is called a ceiling."""
    for found in POINTS.finditer(text):
        yield found[0], "ceiling" in text[max(0, found.start() - 12) : found.start()].lower()


def hold(text: str, item: Any, change: Change) -> None:
    """Every number in what is said of a mode or an intervention is the ledger's, or its ceiling and called so.

    What twice a limit would bring is an estimate of its own, and called so.
    """
    room = getattr(item, "more_room", None)
    for estimate in re.findall(r"twice the limit would bring about (\S+ pp), an estimate", text):
        assert room is not None, text
        assert estimate == difference(room.points, "unit"), text
        text = text.replace(f"would bring about {estimate}", "")
    shown = {difference(change.parts[share.part].points, "unit") for share in item.parts}
    shown |= {difference(item.change_points, "unit")} if item.change_points is not None else set()
    most = item.most if hasattr(item, "most") else item.recoverable["most"]
    for number, ceiling in numbers(text):
        assert number in ({difference(most, "unit")} if ceiling else shown), text


def tables(markdown: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The tables of a text: their columns and their rows."""
    for block in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines())
        yield head, rows


def rows_of(surfaces: Surfaces, *columns: str) -> list[dict[str, str]]:
    """The rows of all tables that have these columns."""
    found = [(head, rows) for head, rows in tables(surfaces.markdown) if set(columns) <= set(head)]
    assert found, columns
    return [dict(zip(head, line, strict=False)) for head, rows in found for line in rows]


def test_the_data_has_the_points_of_the_ledger_everywhere(surfaces: Surfaces) -> None:
    parts, data = surfaces.data["changes"][-1]["parts"], surfaces.data
    assert [item for item in data["interventions"] if item["parts"]]
    for item in [*data["modes"], *data["interventions"]]:
        for share in item["parts"]:
            assert share["points"] == parts[share["part"]]["points"]
            assert share["whole"] == (share["rollouts"] == share["of"])
        total = item["change_points"]
        if total is not None:
            assert total == pytest.approx(math.fsum(share["points"] for share in item["parts"]), abs=1e-12)
        gain = item["points"] if "points" in item else item["recoverable"]["points"]
        assert gain is None or gain == -total
    for row in data["counterfactuals"]:
        mode = next((mode for mode in data["modes"] if mode["id"] == row["mode"]), None)
        if mode is not None and row["run"] == mode["recoverable"]["run"]:
            assert row["gain"] == pytest.approx(mode["recoverable"]["most"], abs=1e-12)
            assert "ceiling" in row["note"]
    for item in data["health"]:
        told = [part["points"] for part in parts if part["cause"] == "infrastructure"]
        assert item["change_points"] is None or [item["change_points"], -item["effect"]] == told * 2


def test_ledger_and_mode_count_the_same_rollouts_and_tasks(surfaces: Surfaces) -> None:
    change = surfaces.change
    counted = 0
    for mode in surfaces.analysis.modes:
        if mode.change_points is None or mode.parts[0].cause == "verifier":
            continue  # a verifier's part counts the rows of both sides, though only one of them fails
        part = change.parts[mode.parts[0].part]
        lines = [mode.runs[name] for name in (change.base, change.candidate)]
        assert part.rollouts == sum(line["rollouts"] for line in lines)
        assert set(part.tasks) == {task for line in lines for task in line["examples"]}
        counted += 1
    assert counted or surfaces.kind == "verifier_bug_shared"


def test_the_tables_of_the_report_say_the_same(surfaces: Surfaces) -> None:
    change = surfaces.change
    ledger = {cause_words(part): difference(part.points, "unit") for part in change.parts}
    for row in rows_of(surfaces, "Cause", "Points"):
        assert ledger.get(row["Cause"], row["Points"]) == row["Points"]
    modes = {mode.name: mode for mode in surfaces.analysis.modes}
    for row in rows_of(surfaces, "Failure mode", "Points of the change", "Ceiling"):
        hold(f"{row['Points of the change']} ceiling {row['Ceiling']}", modes[row["Failure mode"]], change)
    fixes = {item.change: item for item in surfaces.analysis.interventions}
    for row in rows_of(surfaces, "change", "points of the change", "ceiling"):
        hold(f"{row['points of the change']} ceiling {row['ceiling']}", fixes[row["change"]], change)
    for row in rows_of(surfaces, "the score", "ceiling"):
        mode = modes.get(row["the score"].removeprefix("without: "))
        assert mode is None or row["ceiling"] == difference(mode.recoverable["most"], "unit")
    for row in rows_of(surfaces, "Check", "Points of the change"):
        told = row["Points of the change"]
        assert not told or told in {difference(part.points, "unit") for part in change.parts}


def test_the_sentences_of_the_report_say_the_same(surfaces: Surfaces) -> None:
    section = surfaces.markdown.split("## Recommendations")[1]
    for item in surfaces.analysis.interventions[:6]:
        (line,) = (line for line in section.splitlines() if line.startswith(f"- {item.change}:"))
        assert "Ceiling: " in line
        hold(line, item, surfaces.change)
    summary = surfaces.markdown.split("## Artifact Inventory")[0]
    for line in re.findall(r"Significant causes: [^\n]*?\.(?: |$)", summary):
        assert {number for number, _ in numbers(line)} <= {difference(p.points, "unit") for p in surfaces.change.parts}


def plain(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", markup))


def test_the_page_says_the_same(surfaces: Surfaces) -> None:
    analysis, change, page = surfaces.analysis, surfaces.change, surfaces.html
    steps = re.findall(r"<li><a href=\"#fix-(\d+)\">(.*?)</li>", page, re.DOTALL)
    assert len(steps) == min(3, len(analysis.interventions))
    for place, told in steps:
        hold(plain(told), analysis.interventions[int(place)], change)
    for place, item in enumerate(analysis.interventions):
        card = page.split(f'<article class="card" id="fix-{place}">')[1].split("</article>")[0]
        assert "ceiling" in card
        hold(plain(card), item, change)
    for mode in analysis.modes:
        card = page.split(f'<article class="card mode" id="mode-{mode.id}">')[1].split("</article>")[0]
        hold(plain(card.split("<table")[0]), mode, change)
    health = page.split("<caption>Checks that found nothing or could not look")[1].split("As the report tells it")[0]
    health = re.sub(r"<h3>Scores without the tasks in doubt.*?</table>", "", health, flags=re.DOTALL)
    infrastructure = {difference(part.points, "unit") for part in change.parts if part.cause == "infrastructure"}
    assert {number for number, _ in numbers(plain(health))} <= infrastructure


def test_the_terminal_says_the_same(surfaces: Surfaces) -> None:
    told = re.findall(r"Significant causes: (.*?)\. ", " ".join(surfaces.terminal.split()))
    assert told or not any(part.named for part in surfaces.change.parts)
    shown = {difference(part.points, "unit") for part in surfaces.change.parts}
    assert {number for line in told for number, _ in numbers(line)} <= shown


def test_the_viewer_says_the_same(surfaces: Surfaces) -> None:
    if surfaces.kind == "demo":
        return  # reading it twice takes long; the smaller ones show the same
    index = gather([str(path) for path in surfaces.paths], blade.Options(cache=False))
    told = overview(index, {})["interventions"]
    assert len(told) == len(surfaces.analysis.interventions)
    for line, item in zip(told, surfaces.analysis.interventions, strict=True):
        assert "ceiling" in line["worth"]
        hold(line["worth"], item, surfaces.change)


def test_the_outage_of_the_demo_has_one_number(surfaces: Surfaces) -> None:
    if surfaces.kind != "demo":
        return
    first = surfaces.analysis.interventions[0]
    assert first.points == pytest.approx(0.11953125)
    assert (first.rollouts, first.tasks_total, len(surfaces.change.parts[0].tasks)) == (23, 7, 7)
    assert "It accounts for −12.0 pp of the change from `baseline`. Ceiling: +14.4 pp, if all" in surfaces.markdown
    page = plain(surfaces.html)
    assert "−12.0 pp of the change from baseline; ceiling +14.4 pp" in page
    assert "Infrastructure makes up −12.0 pp of the change." in page
    assert "−12.0 pp from infrastructure" in " ".join(surfaces.terminal.split())
