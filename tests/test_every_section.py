"""Promises that every section keeps, on every kind of run."""

from __future__ import annotations

from pathlib import Path

import pytest

import blade
from blade.document import Fact, Paragraph, Table
from blade.registry import plugins, summary
from blade.renderers import json

SECTIONS = plugins("sections")
SEEDS_ORDER = [
    "Executive Summary",
    "What Really Ran",
    "Artifact Inventory",
    "Aggregate Results",
    "Checkpoints",
    "Score Change",
    "Denominator",
    "Investigation",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Slices",
    "What Was Read",
    "Dominant Failure Modes",
    "Failing Tasks",
    "Sometimes-Pass Deep Dives",
    "Never-Pass Deep Dives",
    "Cross-Model Comparison",
    "Benchmark Health",
    "Recommendations",
    "Reproducibility Notes",
]


@pytest.fixture(scope="module")
def analysis(front_desk: Path, broken: Path, uncached: blade.Options) -> blade.Analysis:
    return blade.analyze(f"a={front_desk}", f"b={broken}", options=uncached)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_has_a_title_an_order_and_one_line_on_itself(name: str) -> None:
    module = SECTIONS[name]
    assert module.TITLE in SEEDS_ORDER
    assert isinstance(module.ORDER, int)
    assert summary(module).startswith(module.TITLE.split()[0])


def test_sections_stand_in_the_order_people_know() -> None:
    titles = [module.TITLE for module in sorted(SECTIONS.values(), key=lambda module: module.ORDER)]
    assert titles == [title for title in SEEDS_ORDER if title in titles]


@pytest.mark.parametrize("name", SECTIONS)
def test_every_claim_of_a_section_is_what_the_analysis_says(name: str, analysis: blade.Analysis) -> None:
    written = json.document(analysis)
    report = blade.report(analysis)
    for claim in report.claims():
        if claim.section == name:
            value = look_up(written, claim.proof["args"]["path"])
            if not isinstance(value, (dict, list)):
                assert value == json.plain(claim.value), claim


@pytest.mark.parametrize("name", SECTIONS)
def test_tables_are_rectangular_and_sentences_end(name: str, analysis: blade.Analysis) -> None:
    for block in SECTIONS[name].build(analysis):
        if isinstance(block, Table):
            assert {len(row) for row in block.rows} <= {len(block.columns)}
            assert all(isinstance(cell, (str, Fact)) for row in block.rows for cell in row)
        if isinstance(block, Paragraph):
            assert all(sentence.text.rstrip().endswith((".", ":")) for sentence in block.sentences)


def look_up(value: object, path: list[str | int]) -> object:
    """A place in analysis.json: lists of named things are entered by name."""
    for step in path:
        if isinstance(value, list) and isinstance(step, str):
            value = next(item for item in value if step in (item.get("name"), item.get("task")))
        else:
            value = value[step]  # type: ignore[index]
    return value
