"""Marks on a sheet, and round numbers below a plot."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from blade.drawing import Bar, DrawingField, RowPlot, Sheet, grouped_bars, number_label, number_ticks, percent_label


def numbers(svg: str, tag: str, name: str) -> list[float]:
    return [float(value) for value in re.findall(rf'<{tag} [^>]*\b{name}="([-\d.]+)"', svg)]


@pytest.mark.parametrize(
    ("low", "high", "about", "ticks"),
    [
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0, 42, 5, [0, 10, 20, 30, 40]),
        (0.386, 0.637, 6, [0.4, 0.45, 0.5, 0.55, 0.6]),
        (-3, 3, 6, [-3, -2, -1, 0, 1, 2, 3]),
        (1e98, 3e98, 2, [1e98, 2e98, 3e98]),
    ],
)
def test_ticks_are_round_numbers_inside_the_axis(low: float, high: float, about: int, ticks: list[float]) -> None:
    assert number_ticks(low, high, about) == pytest.approx(ticks)


def test_counts_have_no_fractions_on_their_axis() -> None:
    assert number_ticks(0, 2, 5, smallest=1) == [0, 1, 2]


def test_labels_have_as_many_places_as_tell_two_neighbours_apart() -> None:
    assert [percent_label(value, 0.005) for value in (0.5, 0.505)] == ["50.0%", "50.5%"]
    assert [percent_label(value, 0.2) for value in (0.2, 0.4)] == ["20%", "40%"]
    assert [number_label(value, 1) for value in (3, 1200)] == ["3", "1,200"]
    assert number_label(2e98, 1e98) == "2e+98"


def test_foreign_words_are_text_wherever_they_stand() -> None:
    sheet = Sheet()
    with sheet.link('#"><script>', "<b> & 'c'"):
        sheet.text(1, 2, "</text><script>alert(1)</script> & more")
    root = ET.fromstring(sheet.svg())  # noqa: S314 - our own drawing
    link = root[0]
    assert link.attrib == {"href": '#"><script>', "aria-label": "<b> & 'c'"}
    assert link[0].text == "</text><script>alert(1)</script> & more"


def test_a_sheet_is_as_large_as_what_is_drawn_on_it() -> None:
    sheet = Sheet()
    sheet.rect(10, 20, 30, 40, "#000000")
    sheet.line((0, 0), (99, 5), "#000000")
    assert 'viewBox="0 0 105 66"' in sheet.svg()


def test_a_bar_is_as_long_as_its_value() -> None:
    bars = [Bar("one", "a", 5, "5", "#111111"), Bar("one", "b", 10, "10", "#222222")]
    svg = grouped_bars(bars, [0, 5, 10], title="rollouts", label=number_label, width=200)
    legend, legend_too, half, full = numbers(svg, "rect", "width")
    assert (legend, legend_too, half, full) == (10, 10, 100, 200)


def test_a_bar_beyond_the_last_tick_stays_inside_the_plot() -> None:
    svg = grouped_bars([Bar("one", "a", 12, "12", "#111111")], [0, 5, 10], title="t", label=number_label, width=240)
    assert numbers(svg, "rect", "width") == [240]
    grid = numbers(svg, "line", "x1")
    assert grid[2] - grid[0] == pytest.approx(200)


def test_rows_stand_below_each_other_and_a_field_ends_with_the_run() -> None:
    plot = RowPlot(["a", "b"], (0, 1), title="t", label=percent_label, row_height=20)
    assert plot.middle(1) - plot.middle(0) == 20
    assert plot.x(1) - plot.x(0) == 640
    field = DrawingField(160, title="t", upward="broken")
    field.column(80, 160, 0.5, "#333333")
    assert numbers(field.sheet.svg(), "rect", "width") == [320]
    assert numbers(field.sheet.svg(), "rect", "height") == [55]


def test_a_single_value_has_an_axis_too() -> None:
    plot = RowPlot(["a"], (3, 3), title="t", label=number_label, row_height=20)
    assert plot.x(3) - plot.left == 320


def test_bars_of_many_runs_become_cells_that_are_darker_the_more_they_hold() -> None:
    values = [0, 2, 4, 8, 1]
    bars = [Bar("a way", f"run {n}", value, f"{value} (x)", "#111111") for n, value in enumerate(values)]
    svg = grouped_bars(bars, [0, 5], title="rollouts", label=number_label)
    shades = numbers(svg, "rect", "opacity")
    assert len(shades) == 4, "nothing is shaded where there is none"
    assert shades[3] < shades[0] < shades[1] < shades[2]
    assert re.findall(r">(\d+)</text>", svg) == ["0", "2", "4", "8", "1"], "the words up to a space"
    assert svg.count("rotate(-90)") == 5
    few = grouped_bars(bars[:4], [0, 5], title="rollouts", label=number_label)
    assert "rotate(-90)" not in few
