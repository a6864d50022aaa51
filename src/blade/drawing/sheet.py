"""Marks on a sheet of paper: rectangles, lines, dots and words, written as SVG in the order of drawing.

Its colours are the style sheet's own inside a report, light and dark ones in a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from unicodedata import east_asian_width

from blade.pages.colours import BUCKETS, OUTCOMES, RUNS, Colour
from blade.wording import printable

LONGEST_NAME = 46
INK, SOFT, LINE = "#1b1f27", "#555d6b", "#d5d9e0"
GAIN, LOSS = OUTCOMES["pass"].colour, OUTCOMES["fail"].colour
TEXT_SIZE = 12
MARGIN = 6
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
_NARROW = frozenset("iljtfrI.,:;'|! ()[]-/")
_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


class Sheet:
    """It grows with what is drawn on it; the origin is the upper left corner."""

    def __init__(self) -> None:
        self._marks: list[str] = []
        self._right = self._bottom = 0.0

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1, radius: float = 0
    ) -> None:
        self._reach(x + width, y + height)
        round_corners = f' rx="{_number(radius)}"' if radius else ""
        self._add(f'<rect {_at(x=x, y=y, width=width, height=height)}{round_corners} fill="{fill}"', opacity)

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        stroke: str,
        *,
        width: float = 1,
        dashed: bool = False,
        opacity: float = 1,
    ) -> None:
        (x1, y1), (x2, y2) = start, end
        self._reach(max(x1, x2), max(y1, y2))
        thick = f' stroke-width="{_number(width)}"' if width != 1 else ""
        dashes = ' stroke-dasharray="2,2"' if dashed else ""
        self._add(f'<line {_at(x1=x1, y1=y1, x2=x2, y2=y2)} stroke="{stroke}"{thick}{dashes}', opacity)

    def dot(self, x: float, y: float, radius: float, fill: str, *, opacity: float = 1) -> None:
        self._reach(x + radius, y + radius)
        self._add(f'<circle {_at(cx=x, cy=y, r=radius)} fill="{fill}"', opacity)

    def text(
        self, x: float, y: float, words: str, *, fill: str = INK, anchor: str = "start", bold: bool = False
    ) -> None:
        """Words whose middle line is at y; foreign ones are escaped here."""
        self._reach(x + (1 - _ANCHORS[anchor]) * text_width(words), y + TEXT_SIZE / 2)
        anchor_attribute = f' text-anchor="{anchor}"' if anchor != "start" else ""
        weight = ' font-weight="bold"' if bold else ""
        place = _at(x=x, y=y + 0.35 * TEXT_SIZE)
        self._marks.append(f'<text {place} fill="{fill}"{anchor_attribute}{weight}>{escape(words, quote=False)}</text>')

    def turned(self, x: float, y: float, words: str) -> None:
        """Words that run upwards, centred at a place."""
        place = f'transform="translate({_number(x)},{_number(y)}) rotate(-90)" text-anchor="middle"'
        self._marks.append(f'<text {place} fill="{SOFT}">{escape(words, quote=False)}</text>')

    @contextmanager
    def link(self, address: str, words: str) -> Iterator[None]:
        """What is drawn inside leads somewhere, and says where."""
        self._marks.append(f'<a href="{escape(address)}" aria-label="{escape(words)}">')
        yield
        self._marks.append("</a>")

    def svg(self) -> str:
        width, height = (round(edge + MARGIN) for edge in (self._right, self._bottom))
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        )
        return f'{head} font-family="{FONT}" font-size="{TEXT_SIZE}px">{"".join(self._marks)}</svg>'

    def _add(self, mark: str, opacity: float) -> None:
        pale = f' opacity="{_number(opacity)}"' if opacity != 1 else ""
        self._marks.append(f"{mark}{pale}/>")

    def _reach(self, x: float, y: float) -> None:
        self._right, self._bottom = max(self._right, x), max(self._bottom, y)


def text_width(words: str) -> float:
    """About how wide words are printed; rather too wide, as the reader's font is not known."""
    return sum(_letter_width(letter) for letter in words) * TEXT_SIZE


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.4
    if east_asian_width(letter) in {"W", "F"}:
        return 1.05
    return 0.8 if letter in "mwMW%@" else 0.66 if letter.isupper() else 0.6


def titled(title: str, *cuts: tuple[int, int, str]) -> str:
    """A title that says what is left out: of each (drawn, all, things) those of which not all are drawn."""
    left = ", ".join(f"{number} of {everything:,} {noun}" for number, everything, noun in cuts if number < everything)
    return f"{title} ({left})" if left else title


def short(text: str, longest: int = LONGEST_NAME) -> str:
    """A foreign name as a chart may print it: one line of printable characters, not too long."""
    flat = printable(text)
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"


def _at(**places: float) -> str:
    return " ".join(f'{name}="{_number(value)}"' for name, value in places.items())


def _number(value: float) -> str:
    return f"{round(value, 2):g}" if abs(value) < 1e5 else f"{value:.0f}"


PAGE = "#ffffff"
FURNITURE = {
    "ink": Colour(INK, "#e6e9ee"),
    "soft": Colour(SOFT, "#a4adba"),
    "line": Colour(LINE, "#363c47"),
    "page": Colour(PAGE, "#14171c"),
}


def inline(svg: str) -> str:
    """The drawing for a page that has our style sheet: its colours become the page's own."""
    return _COLOUR.sub(lambda match: f'{match[1]}="var(--{_VARIABLES[match[2]]})"', svg)


def standalone(svg: str) -> str:
    """The drawing as a file of its own: it brings its page's colour, and its dark colours where those are wanted."""
    changing = [pair for pair in _palette().values() if pair.light != pair.dark]
    dark = "".join(f'[{name}="{pair.light}"]{{{name}:{pair.dark}}}' for pair in changing for name in ("fill", "stroke"))
    style = (
        f":root{{background:{PAGE}}}"
        f"@media (prefers-color-scheme:dark){{:root{{background:{FURNITURE['page'].dark}}}{dark}}}"
    )
    head, body = svg.split(">", 1)
    return f"{head}><style>{style}</style>{body}\n"


def _palette() -> dict[str, Colour]:
    """Variable of the style sheet → colour; where two share a light colour, the first speaks for it."""
    colours = {
        **FURNITURE,
        **{f"outcome-{name}": outcome.colour for name, outcome in OUTCOMES.items()},
        **{f"bucket-{name}": colour for name, colour in BUCKETS.items()},
        **{f"run-{place}": colour for place, colour in enumerate(RUNS)},
    }
    name_of_colour: dict[str, str] = {}
    for name, colour in colours.items():
        name_of_colour.setdefault(colour.light, name)
    return {name: colours[name] for name in name_of_colour.values()}


_VARIABLES = {colour.light: name for name, colour in _palette().items()}
_COLOUR = re.compile(rf'(fill|stroke)="({"|".join(_VARIABLES)})"')
