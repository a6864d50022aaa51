"""Foreign text becomes safe markup: everything is escaped, and what would not be seen is made visible.

Rollout text is hostile. It is printed as text; only a model's Markdown becomes markup, through a parser that passes no
HTML and a sanitiser that knows a short list of tags. No picture, style, script, frame or form comes out of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import nh3
from markupsafe import Markup, escape

from blade.frozen import frozen

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST_MARKDOWN = 20_000
"""Longer messages are shown as they stand: nobody reads them set, and a parser can be made slow."""

_TAGS = set("p br hr strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a".split())
_SCHEMES = {"http", "https", "mailto"}
_KEPT = "\n\t\u200c\u200d"
"""Line ends and tabs are layout; the two joiners belong to many scripts and to emoji."""


@frozen
class Mark:
    """A stretch of a text to be marked: what a finding quotes. `title` is told to who points at it or hears it."""

    start: int
    end: int
    id: str = ""
    title: str = ""
    kind: str = "finding"


def visible(text: str) -> str:
    """The text with control, format, bidi and private characters made visible, and line ends made alike."""
    lines = text.replace("\r\n", "\n")
    if lines.replace("\n", "").isprintable():  # nearly every text: nothing in it is to be made visible
        return lines
    return lines.translate(_SEEN)


class _Seen(dict[int, str]):
    """Character → how it is shown, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = visible_char = _visible_char(chr(code))
        return visible_char


_SEEN = _Seen()


def _visible_char(char: str) -> str:
    if char in _KEPT:
        return char
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return f"⟦U+{code:04X}⟧"
    return char


def text(foreign: str) -> Markup:
    """Foreign text as text."""
    return escape(visible(foreign))


def breakable(words: str) -> Markup:
    """A name that may go on in the next line behind every underscore."""
    return text(words).replace("_", Markup("_<wbr>"))


def marked(foreign: str, marks: Sequence[Mark]) -> Markup:
    """The text with every mark set at its place; a stretch that several marks share belongs to the first of them."""
    if not marks:
        return text(foreign)
    parts: list[str] = []
    at = 0
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        start, end = max(mark.start, at), min(mark.end, len(foreign))
        if start >= end:
            parts.append(str(_anchor(mark)))
            continue
        parts.append(str(text(foreign[at:start])))
        parts.append(
            str(
                Markup('<mark class="{}"{} title="{}">{}</mark>').format(
                    mark.kind, _identity(mark), visible(mark.title), text(foreign[start:end])
                )
            )
        )
        at = end
    parts.append(str(text(foreign[at:])))
    return Markup("").join(Markup(piece) for piece in parts)  # noqa: S704 - each piece was escaped above


def _identity(mark: Mark) -> Markup:
    return Markup(' id="{}"').format(mark.id) if mark.id else Markup("")


def _anchor(mark: Mark) -> Markup:
    return Markup('<span id="{}"></span>').format(mark.id) if mark.id else Markup("")


def markdown(foreign: str) -> Markup:
    """A model's Markdown as a short list of harmless tags; too long a text stays text, in the lines it has."""
    if len(foreign) > LONGEST_MARKDOWN:
        return Markup("<pre>{}</pre>").format(text(foreign))
    rendered = _parser().render(visible(foreign))
    clean = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        strip_comments=True,
    )
    return Markup(clean)  # noqa: S704 - sanitised in the line above


@cache
def _parser() -> MarkdownIt:
    """CommonMark and tables; HTML is text, a picture is its words, and only links with a harmless scheme are links."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only pages of the viewer show Markdown

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    parser.disable(["image", "html_block", "html_inline"])
    return parser
