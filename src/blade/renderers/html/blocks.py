"""Sections as the page sets them: under each heading, what is claimed on one side and what is quoted on the other."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from blade.document import Block, Heading, Picture, Quote, Report, Section
from blade.drawing import inline
from blade.frozen import frozen
from blade.quoted_evidence import Exhibit
from blade.renderers.html.links import Links


@frozen
class BlockGroup:
    """What stands under one heading. `said` are claims, `shown` the quotes beside them."""

    heading: str
    said: tuple[Block, ...]
    shown: tuple[Quote, ...]


class Sections:
    """The sections of a report by name, and how the page looks up what a block leads to."""

    def __init__(self, report: Report, links: Links) -> None:
        self._known = {section.name: section for section in report.sections}
        self._links = links

    def __iter__(self) -> object:
        return iter(self._known.values())

    def get(self, name: str) -> Section:
        return self._known[name]

    def pictures(self, name: str) -> list[Picture]:
        section = self._known.get(name)
        return [block for block in section.blocks if isinstance(block, Picture)] if section else []

    def groups(self, name: str) -> list[BlockGroup]:
        """The blocks of a section but for its pictures, cut at its headings."""
        groups: list[BlockGroup] = []
        heading, blocks = "", list[Block]()
        for block in self._known[name].blocks:
            if isinstance(block, Heading):
                groups += _group(heading, blocks)
                heading, blocks = block.text, []
            elif not isinstance(block, Picture):
                blocks.append(block)
        return groups + _group(heading, blocks)

    def exhibit(self, quote: Quote) -> Exhibit | None:
        return self._links.quote(quote.proof)


def _group(heading: str, blocks: Sequence[Block]) -> list[BlockGroup]:
    if not blocks and not heading:
        return []
    quotes = tuple(block for block in blocks if isinstance(block, Quote))
    return [BlockGroup(heading, tuple(block for block in blocks if not isinstance(block, Quote)), quotes)]


def kind(block: Block) -> str:
    """The name of a block's type, for the template to choose by."""
    return type(block).__name__.lower()


def drawing(picture: Picture) -> Markup:
    """The picture as markup. It was drawn by this program from escaped text, so it may stand as it is."""
    return Markup(inline(picture.svg))  # noqa: S704 - drawn by us; names in it were escaped when it was drawn
