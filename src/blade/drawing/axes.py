"""A number axis below, and above it either rows with names on their left or a plain field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10

from blade.drawing.sheet import LINE, SOFT, TEXT_SIZE, Sheet, text_width

WIDTH = 640
LONGEST_LABEL = 400
PADDING = 8
LEGEND_LINE = 22
Legend = Mapping[str, str]
"""Words → colour."""


class RowPlot:
    """Rows with their names on the left, over one number axis."""

    def __init__(
        self,
        names: Sequence[str],
        domain: tuple[float, float],
        *,
        title: str,
        label: Callable[[float, float], str],
        row_height: float,
        width: float = WIDTH,
        ticks: Sequence[float] = (),
        legend: Legend | None = None,
    ) -> None:
        self.sheet = Sheet()
        self.row_height = row_height
        self._low, self._high = domain if domain[1] > domain[0] else (domain[0] - 0.5, domain[0] + 0.5)
        self._width = width
        self.left = min(max(map(text_width, names), default=0), LONGEST_LABEL) + 2 * PADDING
        self.top = draw_legend(self.sheet, legend or {}, self.left, self.left + width) + PADDING
        bottom = self.top + len(names) * row_height
        places = ticks or number_ticks(self._low, self._high, 6)
        draw_axis(self.sheet, places, self.x, (self.top, bottom), label, title, self.left + width / 2)
        for row, name in enumerate(names):
            self.sheet.text(self.left - PADDING, self.middle(row), name, anchor="end")

    def x(self, value: float) -> float:
        return self.left + self._width * (value - self._low) / (self._high - self._low)

    def middle(self, row: float) -> float:
        """The height of a row; with a fraction, between two rows."""
        return self.top + (row + 0.5) * self.row_height

    def bar(self, row: float, start: float, end: float, height: float, colour: str, *, opacity: float = 1) -> None:
        left, right = sorted((self.x(start), self.x(end)))
        self.sheet.rect(left, self.middle(row) - height / 2, right - left, height, colour, opacity=opacity)

    def rule(self, row: float, start: float, end: float, colour: str, *, opacity: float = 1) -> None:
        y = self.middle(row)
        self.sheet.line((self.x(start), y), (self.x(end), y), colour, width=3, opacity=opacity)


def draw_legend(sheet: Sheet, legend: Legend, left: float, right: float) -> float:
    """Colours with their words, as many in a line as there is room for; the height they take."""
    x, y = left, TEXT_SIZE / 2 + 2
    for words, colour in legend.items():
        wide = text_width(words) + 34
        if x > left and x + wide > right:
            x, y = left, y + LEGEND_LINE
        sheet.rect(x, y - 5, 10, 10, colour, radius=2)
        sheet.text(x + 15, y, words)
        x += wide
    return y + LEGEND_LINE / 2 if legend else 0.0


def draw_axis(
    sheet: Sheet,
    ticks: Sequence[float],
    x: Callable[[float], float],
    field: tuple[float, float],
    label: Callable[[float, float], str],
    title: str,
    centre: float,
) -> None:
    """Grid lines over a field, their labels and the title below it."""
    top, bottom = field
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    for tick in ticks:
        sheet.line((x(tick), top), (x(tick), bottom), LINE)
        sheet.text(x(tick), bottom + PADDING + TEXT_SIZE / 2, label(tick, step), anchor="middle")
    sheet.text(centre, bottom + 2 * PADDING + TEXT_SIZE * 1.7, title, fill=SOFT, anchor="middle")


def number_ticks(low: float, high: float, about: int, *, smallest: float = 0.0) -> list[float]:
    """Round numbers between two others, about so many; steps are 1, 2 or 5 times a power of ten."""
    rough = max((high - low) / about, smallest, 1e-300)
    power = 10.0 ** floor(log10(rough))
    step = max(next(power * times for times in (1, 2, 5, 10) if power * times >= rough * 0.999), smallest)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def percent_label(value: float, step: float) -> str:
    return f"{value:.{_decimals(100 * step)}%}"


def number_label(value: float, step: float) -> str:
    return f"{value:g}" if abs(value) >= 1e6 else f"{value:,.{_decimals(step)}f}"


def axis_label(scale: str) -> Callable[[float, float], str]:
    """How numbers of a scale are printed: parts of one as percent."""
    return percent_label if scale == "unit" else number_label


def _decimals(step: float) -> int:
    """As many places as tell two neighbours apart."""
    return min(max(0, ceil(-log10(step) - 1e-9)), 6) if step > 0 else 0
