"""report.html says all that the report says, leads where it promises, and lets no text become markup."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.made_demo import Demo

import blade
from blade.document import Bullets, Fact, Heading, Paragraph, Picture, Quote, Report, Section, Table, say
from blade.model import Flaw
from blade.pages.markup import visible
from blade.quoted_evidence import Exhibits, collect
from blade.registry import plugins
from blade.renderers import json
from blade.renderers.html import VIEWS, page, render
from blade.renderers.html.funnel_drops import funnel_drops
from blade.renderers.html.health_checks import MOST, findings_of_checks, health_checks
from blade.renderers.html.links import VIEWER, Links
from blade.renderers.html.matrix import matrix
from blade.renderers.html.trust import trust
from blade.renderers.html.without_suspects import without_suspects
from blade.wording import name

HOSTILE = "<script>alert(1)</script> \"x\" 'y' {{ 7 * 7 }} \x1b[31m \u202e"


@pytest.fixture(scope="module")
def analysis(demo: Demo) -> blade.Analysis:
    return demo.analysis


@pytest.fixture(scope="module")
def report(analysis: blade.Analysis) -> Report:
    return blade.report(analysis, pictures=True)


@pytest.fixture(scope="module")
def page_html(demo: Demo) -> str:
    return (demo.folder / "report.html").read_text(encoding="utf-8")


def texts(report: Report) -> Iterator[str]:
    """Every text that the Markdown prints."""
    for section in report.sections:
        yield section.title
        for block in section.blocks:
            if isinstance(block, Paragraph):
                yield from (sentence.text for sentence in block.sentences)
            elif isinstance(block, Bullets):
                yield from (sentence.text for item in block.items for sentence in item.sentences)
            elif isinstance(block, Table):
                yield from (cell if isinstance(cell, str) else cell.text for row in block.rows for cell in row)
            elif isinstance(block, Quote):
                yield from (block.text, block.source)
            elif isinstance(block, Heading):
                yield block.text


def words(markup: str) -> str:
    body = re.sub(r"<(script|style)>.*?</\1>", "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", body)).split())


def test_it_says_all_that_the_report_says(page_html: str, report: Report) -> None:
    page_text = words(page_html)
    paths = re.compile(r"^/")  # the two fixtures stand in folders of their own
    missing = [
        text for text in texts(report) if not paths.search(text) and " ".join(visible(text).split()) not in page_text
    ]
    assert missing == []


def test_every_link_inside_leads_somewhere_and_every_place_is_one(page_html: str) -> None:
    ids = Counter(re.findall(r'\bid="([^"]+)"', page_html))
    assert [place for place, number in ids.items() if number > 1] == []
    led = {html.unescape(target) for target in re.findall(r'href="#([^"]+)"', page_html)}
    assert len(led) > 200
    assert sorted(led - ids.keys()) == []


def test_words_of_the_field_are_explained_where_they_stand(page_html: str) -> None:
    for word in ("95% interval", "Failure mode", "Label", "Bucket"):
        assert re.search(rf'<th[^>]*><abbr title="[^"]+">{word}</abbr></th>', page_html), word
    assert re.search(r'<p>[^\n]*<abbr title="[^"]+">Minimum detectable effect</abbr>', page_html)
    assert re.search(r'<h4><abbr title="[^"]+">What-if</abbr>', page_html)


def test_every_view_and_picture_is_there(page_html: str, report: Report) -> None:
    for view, _, _ in VIEWS:
        assert f'<section class="view" id="{view}"' in page_html
    picture_names = [picture.name for picture in report.pictures() if picture.name != "task_matrix"]
    assert len(picture_names) == 6
    for picture in picture_names:
        assert f'id="picture-{picture}"' in page_html
    assert 'id="matrix"' in page_html


def test_it_loads_nothing_and_allows_nothing_else(page_html: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page_html)
    assert policy is not None
    assert "default-src 'none'" in html.unescape(policy[1])
    assert "unsafe" not in policy[1]
    assert re.findall(r"\ssrc=", page_html) == []
    assert re.findall(r"\sstyle=", page_html) == []
    assert re.findall(r"<(?:link|iframe|object|embed|img|form)\b", page_html) == []
    assert re.findall(r"<[^>]*\son\w+=", page_html) == []
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", page_html))
    viewer = {address for address in addresses if address.startswith(f"{VIEWER}/")}
    assert addresses - viewer == {"http://www.w3.org/2000/svg"}, "links lead to the viewer on this machine and nowhere"
    assert VIEWER.startswith("http://" + "127.0.0.1:")
    assert page_html.count(f'href="{VIEWER}/') == page_html.count(VIEWER)


def test_the_demo_is_under_two_megabytes(page_html: str) -> None:
    assert len(page_html.encode()) < 2_000_000


def test_the_same_analysis_gives_the_same_bytes(analysis: blade.Analysis, report: Report) -> None:
    document = json.document(analysis, report)
    again = blade.report(analysis, pictures=True)
    assert page(report, analysis, document, Exhibits()) == page(again, analysis, document, Exhibits())


def test_hostile_text_stays_text_in_every_block() -> None:
    table = Table((HOSTILE,), ((name(HOSTILE),), (HOSTILE,)), caption=HOSTILE)
    blocks = (
        Paragraph((say("{x} {y}", x=Fact(HOSTILE, "id"), y=HOSTILE),)),
        Bullets((Paragraph((say("{y}", y=HOSTILE),)),)),
        Heading(HOSTILE),
        table,
        Quote(HOSTILE, HOSTILE),
        Picture("p", HOSTILE, HOSTILE, table, "<svg/>"),
    )
    html = render(Report(HOSTILE, (Section("s", HOSTILE, blocks),)))
    assert html.count("<script>") == 1
    assert "49" not in words(html)
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert html.count("&lt;script&gt;") >= 10


def test_an_analysis_of_nothing_is_a_page_that_says_so() -> None:
    nothing = blade.Analysis(None, (), (), ())
    html = page(Report("Nothing", ()), nothing, {}, Exhibits())
    for sentence in ("There are no tasks.", "No rollout failed.", "Nothing is quoted in this report."):
        assert sentence in html
    for view in ("ledger", "funnel", "fixes", "twins"):
        assert f'"{view}"' not in html, "a view with nothing in it is left out"
        assert f'href="#{view}"' not in html


def test_every_check_is_stated_either_way(analysis: blade.Analysis) -> None:
    ended = tuple({**check, "state": "clean"} for check in analysis.health_checks)
    clean = {check.name: check for check in trust(replace(analysis, health=(), flaws=(), health_checks=ended))}
    assert clean["outage"].state == "well"
    assert clean["duplicates"].state == "well"
    flaws = (Flaw("duplicate-rows", "3 rows repeat", rows=3), Flaw("foreign-rows", "2 rows", rows=2))
    dirty = {check.name: check for check in trust(replace(analysis, flaws=flaws))}
    assert dirty["outage"].state == "bad"
    assert dirty["infrastructure"].state == "bad"
    assert (dirty["duplicates"].state, dirty["foreign"].state) == ("look", "look")
    assert "3 rows" in dirty["duplicates"].words
    assert clean.keys() == dirty.keys()
    assert {"aggregates", "coverage", "verifier", "gold", "identity", "passport", "readable"} <= clean.keys()
    assert all(check.words.endswith(".") for check in (*clean.values(), *dirty.values()))


def test_every_health_check_is_listed_either_way(analysis: blade.Analysis) -> None:
    checks = {line.name: line for line in health_checks(analysis)}
    assert len(checks) == len(plugins("health"))
    assert (checks["Outage window"].state, checks["Outage window"].found) == ("bad", "1 finding")
    assert (checks["Flaky verifier"].state, checks["Flaky verifier"].found) == ("well", "Nothing found.")
    ended = {"check": "suspect_gold", "state": "not_checked", "why": "two runs are needed"}
    other_checks = [check for check in analysis.health_checks if check["check"] != "suspect_gold"]
    blind = replace(analysis, health=(), health_checks=(ended, *other_checks))
    alone = {line.name: line for line in health_checks(blind)}
    assert (alone["Suspect gold"].state, alone["Suspect gold"].found) == ("open", "Not checked: two runs are needed.")
    assert alone["Saturation"].state == "well"
    gold = {check.name: check for check in trust(blind)}["gold"]
    assert (gold.state, gold.words) == ("open", "Not checked: two runs are needed.")
    other_line = {check.name: check for check in trust(blind)}["others"]
    assert "Nothing found: flaky verifier" in other_line.words
    item: dict[str, Any] = {
        "check": "saturation",
        "tasks": [],
        "severity": "low",
        "statement": "x",
        "evidence": [],
        "effect": None,
    }
    other_line = {check.name: check for check in trust(replace(analysis, health=(item,)))}["others"]
    assert other_line.state == "look"
    assert other_line.words == "1 of 13 found something: saturation."


def test_a_check_that_fires_everywhere_hides_no_other_and_the_worst_come_first(
    analysis: blade.Analysis,
) -> None:
    template = analysis.health[0]
    alike = [{**template, "check": "check_never_passes", "severity": "medium", "statement": f"s{n}"} for n in range(30)]
    grave = {**template, "check": "outage_window", "severity": "high", "statement": "An outage."}
    checks = findings_of_checks(replace(analysis, health=(*alike, grave)))
    assert [[item["statement"] for item in check.open] for check in checks] == [["An outage."], ["s0", "s1"]]
    assert [(len(check.folded), check.left_out) for check in checks] == [(0, 0), (MOST - 2, 30 - MOST)]


def test_what_is_lost_at_a_stage_names_its_tasks(analysis: blade.Analysis) -> None:
    steps = funnel_drops(analysis, Links(analysis))
    assert [(step.before, step.after) for step in steps][1] == ("first action", "core action")
    baseline, candidate = steps[1].runs
    assert (baseline.rollouts, candidate.rollouts) == (21, 49)
    assert steps[1].apart == "+17.5 pp"
    assert all(href.startswith("#task-") for drop in steps[1].runs for _, href in drop.tasks)
    for step in steps:
        assert all(bool(drop.tasks) == bool(drop.rollouts) for drop in step.runs)


def test_moves_between_buckets_add_up_to_the_tasks(analysis: blade.Analysis) -> None:
    task_matrix = matrix(analysis, Links(analysis))
    move_counts = {move: number for _, ends in task_matrix.moves for move, number in ends}
    assert sum(move_counts.values()) == 40
    assert move_counts["always-never"] == sum(line.moves == "always-never" for line in task_matrix.lines) > 0
    assert matrix(replace(analysis, runs=analysis.runs[:1]), Links(analysis)).moves == ()


def test_a_part_without_words_of_its_own_shows_its_failure_mode(page_html: str) -> None:
    ledger = page_html[page_html.index('id="ledger"') : page_html.index('id="tasks"')]
    assert "(no words)" not in ledger
    parts = ledger.split('<details class="part')[1:]
    assert len(parts) == 8
    assert all('class="evidence"' in part for part in parts)


def test_leaving_out_suspect_tasks_shows_what_the_scores_would_be(analysis: blade.Analysis) -> None:
    assert without_suspects(analysis) == []
    never = [task.task for task in analysis.tasks if all(result.passes == 0 for result in task.runs.values())]
    item = {
        "check": "suspect_gold",
        "tasks": never,
        "tasks_total": len(never),
        "severity": "high",
        "statement": "x",
        "evidence": [],
        "effect": None,
    }
    before, after = without_suspects(replace(analysis, health=(item,)))
    assert before.scores == (("60.6%", ""), ("49.4%", ""))
    remaining = 40 - len(never)
    assert after.scores[0][0] == f"{100 * 0.60625 * 40 / remaining:.1f}%"
    assert after.scores[0][1].startswith("+")
    assert after.tasks == tuple(sorted(never))


def test_the_page_of_one_run_has_no_ledger_and_leads_to_none(front_desk: Path) -> None:
    options = blade.Options(cache=False)
    runs = blade.read(front_desk, options=options)
    analysis = blade.analyze_runs(runs, options)
    report = blade.report(analysis)
    text = page(report, analysis, json.document(analysis, report), collect(analysis, runs))
    assert 'id="ledger"' not in text
    assert 'href="#ledger"' not in text
    assert 'id="matrix"' in text


def test_the_claims_of_the_first_screen_begin_in_bold(demo: Demo) -> None:
    page = (demo.folder / "report.html").read_text(encoding="utf-8")
    assert "<li><strong>Broken:</strong> <code>candidate</code> lost 23 of" in page
    assert "<li><strong>Next (environment):</strong> " in page
    assert "&lt;strong&gt;" not in page
