"""A chart of Altair as a small SVG that is the same bytes every time, and its colours on a light and a dark page.

The drawing library is an extra: where it is not there, nothing is drawn and the page says how to install it. What the
library adds for a canvas of its own (roles, frames, addresses) is taken out, so that the page speaks for the picture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from blade.pages.colours import BUCKETS, OUTCOMES, RUNS, Colour
from blade.wording import printable

if TYPE_CHECKING:
    import altair as alt

INSTALL = "pip install 'blade-engine[charts]'"
WIDTH = 640
LONGEST_NAME = 46
INK, SOFT, LINE, PAGE = "#1b1f27", "#555d6b", "#d5d9e0", "#ffffff"
GAIN, LOSS = OUTCOMES["pass"].colour, OUTCOMES["fail"].colour
FURNITURE = {
    "ink": Colour(INK, "#e6e9ee"),
    "soft": Colour(SOFT, "#a4adba"),
    "line": Colour(LINE, "#363c47"),
    "page": Colour(PAGE, "#14171c"),
}
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_DROPPED = ("aria-hidden", "aria-label", "aria-roledescription", "role", "pointer-events", "class", "font-family")
_SAME = {("opacity", "1"), ("stroke-width", "1"), ("stroke-miterlimit", "10"), ("fill", "none"), ("stroke", "none")}
_DECIMALS = re.compile(r"(\d\.\d{2})\d+")
_SIZE = re.compile(r'font-size="(\d+)px"')
WIDER = 2
"""Text is measured this much larger than it is printed: the reader's font may be wider than the one measured in."""


def can_draw() -> bool:
    """Whether the drawing library is installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def data(rows: Sequence[Mapping[str, Any]]) -> alt.Data:
    """Rows as the chart takes them, in the order given."""
    import altair as alt  # noqa: PLC0415 - an extra, and heavy: only when something is drawn

    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call]


def titled(title: str, *cuts: tuple[int, int, str]) -> str:
    """A title that says what is left out: of each (drawn, all, things) those of which not all are drawn."""
    left = ", ".join(f"{drawn} of {everything:,} {things}" for drawn, everything, things in cuts if drawn < everything)
    return f"{title} ({left})" if left else title


def short(text: str, most: int = LONGEST_NAME) -> str:
    """A foreign name as a chart may print it: one line of printable characters, not too long."""
    flat = printable(text)
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def svg(chart: alt.TopLevelMixin) -> str:
    """The chart drawn: the same chart gives the same bytes."""
    import vl_convert  # noqa: PLC0415 - as above

    spec = chart.to_dict(validate=False)
    spec["config"] = _config()
    return _small(vl_convert.vegalite_to_svg(spec))


def _config() -> dict[str, Any]:
    axis = {
        "domainColor": LINE,
        "gridColor": LINE,
        "tickColor": LINE,
        "labelColor": INK,
        "titleColor": SOFT,
        "labelFontSize": 12 + WIDER,
        "titleFontSize": 12 + WIDER,
        "titleFontWeight": "normal",
        "labelLimit": 380,
        "labelPadding": 7,
    }
    return {
        "background": None,
        "view": {"stroke": None},
        "axis": axis,
        "text": {"color": INK, "fontSize": 12 + WIDER},
        "title": {"color": INK, "fontSize": 12 + WIDER},
        "legend": {"labelColor": INK, "labelFontSize": 12 + WIDER, "labelLimit": 300},
    }


def _small(drawn: str) -> str:
    """The drawing without what the page does not need; a mark that is a link keeps its words."""
    for prefix, place in (("", _SVG), ("xlink", "http://www.w3.org/1999/xlink")):
        ET.register_namespace(prefix, place)
    root = ET.fromstring(drawn)  # noqa: S314 - our own drawing, made in the line above
    _clean(root)
    root.attrib.pop("version", None)
    root.set("font-family", "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif")
    text = ET.tostring(root, encoding="unicode")
    text = _SIZE.sub(lambda match: f'font-size="{int(match[1]) - WIDER}px"', text)
    return _DECIMALS.sub(r"\1", text.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', ""))


def _clean(element: ET.Element) -> None:
    for child in list(element):
        if child.get("class") in {"background", "foreground"} and child.get("stroke") in {None, "none"}:
            element.remove(child)
            continue
        if child.tag == f"{{{_SVG}}}a":
            words = next((path.get("aria-label") for path in child if path.get("aria-label")), "")
            child.attrib = {"href": "#" + child.get(_XLINK, "").rpartition("#")[2]}
            child.set("aria-label", words or "")
        _clean(child)
        if child.tag == f"{{{_SVG}}}g" and not len(child):
            element.remove(child)
    kept = element.attrib.get("aria-label") if element.tag == f"{{{_SVG}}}a" else None
    inherits = element.tag == f"{{{_SVG}}}g"
    element.attrib = {
        name: value
        for name, value in element.attrib.items()
        if name not in _DROPPED and ((name, value) not in _SAME or (name in {"fill", "stroke"} and not inherits))
    }
    if inherits and element.get("fill") is None and element.find(f".//{{{_SVG}}}path") is not None:
        element.set("fill", "none")
    if kept:
        element.set("aria-label", kept)


def inline(drawn: str) -> str:
    """The drawing for a page that has our style sheet: its colours become the page's own."""
    return _COLOUR.sub(lambda match: f'{match[1]}="var(--{_VARIABLES[match[2]]})"', drawn)


def standalone(drawn: str) -> str:
    """The drawing as a file of its own: it brings its page's colour, and its dark colours where those are wanted."""
    both = [pair for pair in _palette().values() if pair.light != pair.dark]
    dark = "".join(f'[{name}="{pair.light}"]{{{name}:{pair.dark}}}' for pair in both for name in ("fill", "stroke"))
    style = (
        f":root{{background:{PAGE}}}"
        f"@media (prefers-color-scheme:dark){{:root{{background:{FURNITURE['page'].dark}}}{dark}}}"
    )
    head, rest = drawn.split(">", 1)
    return f"{head}><style>{style}</style>{rest}\n"


def _palette() -> dict[str, Colour]:
    """Variable of the style sheet → colour; where two share a light colour, the first speaks for it."""
    named = {
        **FURNITURE,
        **{f"outcome-{name}": outcome.colour for name, outcome in OUTCOMES.items()},
        **{f"bucket-{name}": colour for name, colour in BUCKETS.items()},
        **{f"run-{place}": colour for place, colour in enumerate(RUNS)},
    }
    seen: dict[str, str] = {}
    for name, colour in named.items():
        seen.setdefault(colour.light, name)
    return {name: named[name] for name in seen.values()}


_VARIABLES = {colour.light: name for name, colour in _palette().items()}
_COLOUR = re.compile(rf'(fill|stroke)="({"|".join(_VARIABLES)})"')
