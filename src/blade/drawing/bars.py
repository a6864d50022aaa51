"""Bars in groups: for each thing one bar per run, with its number behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from blade.drawing.axes import WIDTH, RowPlot

BAR, GROUP_GAP, ALONE = 15, 6, 24


@dataclass(frozen=True, slots=True)
class Bar:
    """How long, what is printed behind it, and where it belongs."""

    group: str
    run: str
    value: float
    words: str
    colour: str


def grouped_bars(
    bars: Sequence[Bar],
    ticks: Sequence[float],
    *,
    title: str,
    label: Callable[[float, float], str],
    width: float = WIDTH,
) -> str:
    """The drawing; the axis ends at the last tick or the longest bar."""
    groups = list(dict.fromkeys(bar.group for bar in bars))
    runs = {bar.run: bar.colour for bar in bars}
    several = len(runs) > 1
    row_height = BAR * len(runs) + GROUP_GAP if several else ALONE
    end = max(ticks[-1], *(bar.value for bar in bars))
    plot = RowPlot(
        groups,
        (0, end),
        title=title,
        label=label,
        row_height=row_height,
        width=width,
        ticks=ticks,
        legend=runs if several else None,
    )
    order = list(runs)
    for bar in bars:
        shift = (order.index(bar.run) - (len(runs) - 1) / 2) * BAR / row_height
        row = groups.index(bar.group) + shift
        plot.bar(row, 0, bar.value, BAR - 2, bar.colour)
        plot.sheet.text(plot.x(bar.value) + 4, plot.middle(row), bar.words)
    return plot.sheet.svg()
