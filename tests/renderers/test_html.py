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
from blade.renderers.html.health_checks import health_checks
from blade.renderers.html.links import Links
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
def written(demo: Demo) -> str:
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


def test_it_says_all_that_the_report_says(written: str, report: Report) -> None:
    said = words(written)
    paths = re.compile(r"^/")  # the two fixtures stand in folders of their own
    missing = [text for text in texts(report) if not paths.search(text) and " ".join(visible(text).split()) not in said]
    assert missing == []


def test_every_link_inside_leads_somewhere_and_every_place_is_one(written: str) -> None:
    ids = Counter(re.findall(r'\bid="([^"]+)"', written))
    assert [place for place, many in ids.items() if many > 1] == []
    led = {html.unescape(target) for target in re.findall(r'href="#([^"]+)"', written)}
    assert len(led) > 200
    assert sorted(led - ids.keys()) == []


def test_every_view_and_picture_is_there(written: str, report: Report) -> None:
    for view, _, _ in VIEWS:
        assert f'<section class="view" id="{view}"' in written
    shown = [picture.name for picture in report.pictures() if picture.name != "task_matrix"]
    assert len(shown) == 6
    for picture in shown:
        assert f'id="picture-{picture}"' in written
    assert 'id="matrix"' in written


def test_it_loads_nothing_and_allows_nothing_else(written: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', written)
    assert policy is not None
    assert "default-src 'none'" in html.unescape(policy[1])
    assert "unsafe" not in policy[1]
    assert re.findall(r"\ssrc=", written) == []
    assert re.findall(r"\sstyle=", written) == []
    assert re.findall(r"<(?:link|iframe|object|embed|img|form)\b", written) == []
    assert re.findall(r"<[^>]*\son\w+=", written) == []
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", written))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_the_demo_is_under_two_megabytes(written: str) -> None:
    assert len(written.encode()) < 2_000_000


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
    made = render(Report(HOSTILE, (Section("s", HOSTILE, blocks),)))
    assert made.count("<script>") == 1
    assert "49" not in words(made)
    assert "\x1b" not in made
    assert "\u202e" not in made
    assert made.count("&lt;script&gt;") >= 10


def test_an_analysis_of_nothing_is_a_page_that_says_so() -> None:
    nothing = blade.Analysis(None, (), (), ())
    made = page(Report("Nothing", ()), nothing, {}, Exhibits())
    for said in ("There are no tasks.", "No rollout failed.", "Nothing is quoted in this report."):
        assert said in made


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
    found = {one.name: one for one in health_checks(analysis)}
    assert len(found) == len(plugins("health"))
    assert (found["Outage window"].state, found["Outage window"].found) == ("bad", "1 finding")
    assert (found["Flaky verifier"].state, found["Flaky verifier"].found) == ("well", "Nothing found.")
    ended = {"check": "suspect_gold", "state": "not_checked", "why": "two runs are needed"}
    others = [check for check in analysis.health_checks if check["check"] != "suspect_gold"]
    blind = replace(analysis, health=(), health_checks=(ended, *others))
    alone = {one.name: one for one in health_checks(blind)}
    assert (alone["Suspect gold"].state, alone["Suspect gold"].found) == ("open", "Not checked: two runs are needed.")
    assert alone["Saturation"].state == "well"
    gold = {check.name: check for check in trust(blind)}["gold"]
    assert (gold.state, gold.words) == ("open", "Not checked: two runs are needed.")
    told = {check.name: check for check in trust(analysis)}["others"]
    assert "flaky verifier" in told.words
    item: dict[str, Any] = {
        "check": "saturation",
        "tasks": [],
        "severity": "low",
        "statement": "x",
        "evidence": [],
        "effect": None,
    }
    told = {check.name: check for check in trust(replace(analysis, health=(item,)))}["others"]
    assert told.state == "look"
    assert told.words == (
        "1 of 12 found something: saturation. Nothing found: flaky verifier, lost attempt index, negative "
        "discrimination, order leak, repeated tasks and unnamed limits. Not checked: check never judged "
        "(most rows hold no group of named checks), check never passes (no row names the checks behind its verdict)"
        ", contradictory fields (no field of the rows states a verdict beside the reward) and machines differ (no row "
        "names its machine)."
    )


def test_what_is_lost_at_a_stage_names_its_tasks(analysis: blade.Analysis) -> None:
    steps = funnel_drops(analysis, Links(analysis))
    assert [(step.before, step.after) for step in steps][1] == ("first action", "core action")
    baseline, candidate = steps[1].runs
    assert (baseline.rollouts, candidate.rollouts) == (21, 49)
    assert steps[1].apart == "+17.5 pp"
    assert all(href.startswith("#task-") for lost in steps[1].runs for _, href in lost.tasks)
    for step in steps:
        assert all(bool(lost.tasks) == bool(lost.rollouts) for lost in step.runs)


def test_moves_between_buckets_add_up_to_the_tasks(analysis: blade.Analysis) -> None:
    made = matrix(analysis, Links(analysis))
    counted = {move: many for _, ends in made.moves for move, many in ends}
    assert sum(counted.values()) == 40
    assert counted["always-never"] == sum(line.moves == "always-never" for line in made.lines) > 0
    assert matrix(replace(analysis, runs=analysis.runs[:1]), Links(analysis)).moves == ()


def test_a_part_without_words_of_its_own_shows_its_failure_mode(written: str) -> None:
    ledger = written[written.index('id="ledger"') : written.index('id="tasks"')]
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
    kept = 40 - len(never)
    assert after.scores[0][0] == f"{100 * 0.60625 * 40 / kept:.1f}%"
    assert after.scores[0][1].startswith("+")
    assert after.tasks == tuple(sorted(never))


def test_the_page_of_one_run_has_no_ledger_and_says_why(front_desk: Path) -> None:
    options = blade.Options(cache=False)
    runs = blade.read(front_desk, options=options)
    one = blade.analyze_runs(runs, options)
    made = blade.report(one)
    text = page(made, one, json.document(one, made), collect(one, runs))
    assert "compares no two runs" in text
    assert 'id="matrix"' in text
