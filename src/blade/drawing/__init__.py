"""Charts as small SVG files, the same bytes every time, in light and in dark.

`sheet` puts marks on paper, `axes` names rows and numbers below them, `bars` and `field` are two kinds of plots, and
`themes` gives a drawing the colours of its page.
"""

from blade.drawing.axes import WIDTH, RowPlot, axis_label, draw_legend, number_label, number_ticks, percent_label
from blade.drawing.bars import Bar, grouped_bars
from blade.drawing.field import DrawingField
from blade.drawing.sheet import GAIN, LINE, LOSS, SOFT, Sheet, inline, short, standalone, text_width, titled

__all__ = [
    "GAIN",
    "LINE",
    "LOSS",
    "SOFT",
    "WIDTH",
    "Bar",
    "DrawingField",
    "RowPlot",
    "Sheet",
    "axis_label",
    "draw_legend",
    "grouped_bars",
    "inline",
    "number_label",
    "number_ticks",
    "percent_label",
    "short",
    "standalone",
    "text_width",
    "titled",
]
