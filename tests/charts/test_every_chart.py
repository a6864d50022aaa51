"""Promises that every chart keeps."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.made_demo import Demo

import blade
from blade import drawing
from blade.document import Picture
from blade.registry import plugins, summary

CHARTS = plugins("charts")
HOSTILE = '<script>alert("x")</script>\x1b[31m\u202e & task'


@pytest.fixture(scope="module")
def analysis(demo: Demo) -> blade.Analysis:
    """The demo, with its two runs as the ends of a series of checkpoints."""
    series = {
        "runs": ["baseline", "candidate"],
        "scores": [0.61, 0.57],
        "intervals": [[0.5, 0.7], None],
        "first_real": {"base": "baseline", "candidate": "candidate"},
    }
    return replace(demo.analysis, series=series)


def drawn(name: str, analysis: blade.Analysis) -> Picture:
    picture = CHARTS[name].draw(analysis)
    assert isinstance(picture, Picture), "the demo has something for every chart"
    return picture


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_has_a_title_a_section_and_one_line_on_itself(name: str) -> None:
    assert CHARTS[name].TITLE
    assert CHARTS[name].SECTION in plugins("sections")
    assert summary(CHARTS[name]).lower().startswith(name.replace("_", " "))


@pytest.mark.parametrize("name", CHARTS)
def test_a_picture_has_words_and_the_table_behind_it(name: str, analysis: blade.Analysis) -> None:
    picture = drawn(name, analysis)
    assert picture.name == name
    assert picture.alt.endswith(".")
    assert re.search(r"\d", picture.alt)
    assert picture.table.rows
    assert {len(row) for row in picture.table.rows} == {len(picture.table.columns)}


@pytest.mark.parametrize("name", CHARTS)
def test_a_drawing_is_small_whole_and_the_same_each_time(name: str, analysis: blade.Analysis) -> None:
    first, second = drawn(name, analysis).svg, drawn(name, analysis).svg
    assert first == second
    assert 1_000 < len(first) < 90_000
    root = ET.fromstring(first)  # noqa: S314 - our own drawing
    assert root.get("viewBox")
    assert {child.tag.rpartition("}")[2] for child in root.iter()} <= {"svg", "line", "rect", "circle", "text", "a"}
    addresses = re.findall(r"https?://[^\"' ]+", first)
    assert set(addresses) == {"http://www.w3.org/2000/svg"}
    assert "style=" not in first


@pytest.mark.parametrize("name", CHARTS)
def test_every_colour_has_a_dark_one(name: str, analysis: blade.Analysis) -> None:
    svg = drawn(name, analysis).svg
    assert re.findall(r'(?:fill|stroke)="(#\w+)"', drawing.inline(svg)) == []
    alone = drawing.standalone(svg)
    assert "prefers-color-scheme:dark" in alone
    ET.fromstring(alone)  # noqa: S314 - our own drawing


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_to_show_is_no_picture(name: str) -> None:
    assert CHARTS[name].draw(blade.Analysis(None, (), (), ())) is None


@pytest.mark.parametrize("name", ["task_matrix", "scores", "flips"])
def test_hostile_names_are_text_in_a_drawing(name: str, analysis: blade.Analysis) -> None:
    names = {analysis.runs[0].name: HOSTILE, analysis.runs[1].name: f"{HOSTILE} 2"}
    runs = tuple(replace(run, name=names[run.name]) for run in analysis.runs)
    tasks = tuple(
        replace(task, task=f"{HOSTILE} {task.task}", runs={names[run]: result for run, result in task.runs.items()})
        for task in analysis.tasks
    )
    changes = tuple(
        replace(
            change,
            base=names[change.base],
            candidate=names[change.candidate],
            flips=tuple({**flip, "task": HOSTILE + str(flip["task"])} for flip in change.flips),
        )
        for change in analysis.changes
    )
    svg = drawn(name, replace(analysis, runs=runs, tasks=tasks, changes=changes)).svg
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert any("alert" in (node.text or "") for node in root.iter())
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert "\u202e" not in svg


def test_the_bars_of_the_waterfall_lead_to_their_parts_and_add_up(analysis: blade.Analysis) -> None:
    picture = drawn("waterfall", analysis)
    links = re.findall(r'<a href="#part-(\d+)" aria-label="([^"]+)"', picture.svg)
    change = analysis.changes[0]
    assert [int(place) for place, _ in links] == [n for n, part in enumerate(change.parts) if part.points]
    assert all("open its tasks" in words for _, words in links)
    points = [float(str(row[1]).split()[0].replace("−", "-")) for row in picture.table.rows]
    assert sum(points) == pytest.approx(100 * (change.delta or 0), abs=0.05 * len(points))


def test_the_words_of_the_waterfall_leave_out_what_rounds_to_nothing(analysis: blade.Analysis) -> None:
    change = analysis.changes[0]
    nothing = replace(change.parts[0], points=1e-6, cause="infrastructure", sub=None, named=False)
    changed = replace(change, parts=(nothing, *change.parts))
    picture = drawn("waterfall", replace(analysis, changes=(changed, *analysis.changes[1:])))
    assert "0.0 pp;" not in re.sub(r"\d0\.0 pp", "", picture.alt.partition("made of")[2])
    assert "0.0 pp" in {str(row[1]) for row in picture.table.rows}


def test_pictures_show_in_a_notebook(analysis: blade.Analysis) -> None:
    picture = drawn("scores", analysis)
    bundle = picture._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == picture.alt
    without_series = replace(analysis, series=None)
    html = blade.report(without_series, pictures=True)._repr_html_()
    assert html.count("<svg") == len(blade.draw(without_series))
    assert "background:#fff" in bundle["text/html"]
    assert "<style" not in bundle["text/html"]
    assert "<svg" not in blade.report(without_series)._repr_html_()


def test_one_run_without_repeats_has_pictures_too(tmp_path: Path) -> None:
    from blade.simulate import Scenario, write_run  # noqa: PLC0415 - used once

    path = write_run(Scenario(tasks=6, repeats=1, seed=1), tmp_path)
    picture_names = {picture.name for picture in blade.draw(blade.analyze(path, options=blade.Options(cache=False)))}
    assert {"scores", "task_matrix"} <= picture_names
    assert not {"waterfall", "flips", "outage"} & picture_names
