"""The colours of a drawing on its page: the style sheet's own inside a report, light and dark ones in a file."""

from __future__ import annotations

import re

from blade.drawing.sheet import INK, LINE, SOFT
from blade.pages.colours import BUCKETS, OUTCOMES, RUNS, Colour

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
