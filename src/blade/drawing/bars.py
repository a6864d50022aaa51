"""Bars in groups: for each thing one bar per run, with its number behind it; of many runs, a field of shaded cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from blade.drawing.axes import LONGEST_LABEL, PADDING, WIDTH, RowPlot
from blade.drawing.sheet import INK, SOFT, Sheet, text_width
from blade.frozen import frozen

BAR, GROUP_GAP, ALONE = 15, 6, 24
FEW_RUNS = 4
"""So many runs have bars of their own."""
CELL_HEIGHT, CELL_PADDING = 24, 7
PALEST, DARKEST = 0.1, 0.55


@frozen
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
    if len(runs) > FEW_RUNS:
        return _cells(bars, groups, list(runs), title)
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


def _cells(bars: Sequence[Bar], groups: Sequence[str], runs: Sequence[str], title: str) -> str:
    """A line for each thing and a column for each run; the more, the darker. The words up to a space are printed."""
    sheet = Sheet()
    left = min(max(map(text_width, groups), default=0), LONGEST_LABEL) + 2 * PADDING
    top = max(map(text_width, runs)) + 3 * PADDING
    labels = {(bar.group, bar.run): bar.words.split(" ")[0] for bar in bars}
    width = max(map(text_width, labels.values())) + 2 * CELL_PADDING
    for place, run in enumerate(runs):
        sheet.turned(left + (place + 0.5) * width + 4, top - PADDING - text_width(run) / 2, run)
    for place, group in enumerate(groups):
        sheet.text(left - PADDING, top + (place + 0.5) * CELL_HEIGHT, group, anchor="end")
    most = max(bar.value for bar in bars) or 1.0
    for bar in bars:
        x, y = left + runs.index(bar.run) * width, top + groups.index(bar.group) * CELL_HEIGHT
        if bar.value:
            shade = PALEST + (DARKEST - PALEST) * bar.value / most
            sheet.rect(x + 1, y + 1, width - 2, CELL_HEIGHT - 2, bars[0].colour, opacity=shade, radius=3)
        words = labels[bar.group, bar.run]
        sheet.text(x + width / 2, y + CELL_HEIGHT / 2, words, fill=INK if bar.value else SOFT, anchor="middle")
    bottom = top + len(groups) * CELL_HEIGHT + 2 * PADDING
    sheet.text(left + len(runs) * width / 2, bottom, title, fill=SOFT, anchor="middle")
    return sheet.svg()
