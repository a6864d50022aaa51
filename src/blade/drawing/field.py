"""A field of shares from 0 to 100 % over the course of a run."""

from __future__ import annotations

from blade.drawing.axes import PADDING, WIDTH, draw_axis, number_label, number_ticks
from blade.drawing.sheet import LINE, Sheet, text_width

HEIGHT = 110


class DrawingField:
    """Columns over a number axis."""

    def __init__(self, end: float, *, title: str, upward: str) -> None:
        self.sheet = Sheet()
        self._end = max(end, 1)
        self._left = text_width("100%") + 4 * PADDING
        self.top = PADDING
        bottom = self.top + HEIGHT
        for share in (0.0, 0.5, 1.0):
            y = bottom - share * HEIGHT
            self.sheet.line((self._left, y), (self._left + WIDTH, y), LINE)
            self.sheet.text(self._left - PADDING, y, f"{share:.0%}", anchor="end")
        self.sheet.turned(PADDING + 4, self.top + HEIGHT / 2, upward)
        ticks = number_ticks(0, self._end, 8, smallest=1)
        draw_axis(self.sheet, ticks, self._x, (bottom, bottom + 4), number_label, title, self._left + WIDTH / 2)

    def column(self, start: float, end: float, share: float, colour: str, *, opacity: float = 1) -> None:
        x, high = self._x(start), share * HEIGHT
        self.sheet.rect(x, self.top + HEIGHT - high, self._x(end) - x, high, colour, opacity=opacity)

    def _x(self, value: float) -> float:
        return self._left + WIDTH * value / self._end
