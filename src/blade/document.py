"""A report as data: sections of blocks, made of sentences whose numbers, ids and quotes can be proved.

Nothing here is marked up: renderers turn blocks into Markdown, JSON, terminal text or HTML, and escape what they print.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import field
from string import Formatter
from typing import Any

from blade.frozen import frozen

WIDEST = 9
"""Columns of the widest table that is left as it is."""


@frozen
class Fact:
    """Something a sentence states: how it is printed, what it is, and the query that proves it.

    A `section` is where more stands: its text is the title that is looked for, its value the section's name. A `page`
    names what stands in another file. A `term` is a word that the glossary explains.
    """

    text: str
    kind: str = "number"  # number | id | quote | section | page | term
    value: Any = None
    proof: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Sentence:
    parts: tuple[str | Fact, ...]

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(part for part in self.parts if isinstance(part, Fact))


def say(template: str, **facts: Fact | str) -> Sentence:
    """A sentence from a template: `say("{n} tasks never pass.", n=amount(11, ...))`."""
    parts: list[str | Fact] = []
    for literal, name, _, _ in Formatter().parse(template):
        if literal:
            parts.append(literal)
        if name:
            parts.append(facts[name])
    return Sentence(tuple(parts))


@frozen
class Paragraph:
    sentences: tuple[Sentence, ...]


@frozen
class Bullets:
    """The items of a `ranked` list stand by what they weigh: whoever shows some of them shows the first."""

    items: tuple[Paragraph, ...]
    ranked: bool = False


@frozen
class Table:
    """`columns` are titles; a title that starts with `>` is right-aligned.

    The rows of a `ranked` table stand by what they weigh: whoever shows some of them shows the first. A `pinned` one
    stands in the short report as it is; who builds it bounds its length.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | Fact, ...], ...]
    caption: str = ""
    ranked: bool = False
    pinned: bool = False

    def narrowed(self) -> Table:
        """A table that is too wide to read with its rows as columns, where that makes it narrower."""
        if len(self.columns) <= WIDEST or len(self.rows) >= len(self.columns) - 1:
            return self
        mark = ">" if all(title.startswith(">") for title in self.columns[1:]) else ""
        heads = [cell if isinstance(cell, str) else cell.text for cell in (row[0] for row in self.rows)]
        rows = tuple(
            (title.removeprefix(">"), *(row[place] for row in self.rows))
            for place, title in enumerate(self.columns[1:], 1)
        )
        return Table(("", *(mark + head for head in heads)), rows, self.caption)


@frozen
class Quote:
    """Exact words and where they stand; `proof` is the place of the quote in the analysis."""

    text: str
    source: str
    proof: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Heading:
    """A heading inside a section."""

    text: str


@frozen
class Picture:
    """A drawing of numbers that stand in the analysis: its words for who cannot see it, and the table behind it.

    A picture makes no claim of its own, so nothing in it is proved.
    """

    name: str
    title: str
    alt: str
    table: Table
    svg: str

    def _repr_html_(self) -> str:
        """What a notebook shows: the drawing on a light ground, as notebooks may be dark."""
        return f'<div role="img" aria-label="{html.escape(self.alt)}" style="background:#fff">{self.svg}</div>'

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.alt, "text/html": self._repr_html_(), "image/svg+xml": self.svg}


Block = Paragraph | Bullets | Table | Quote | Heading | Picture


@frozen
class Section:
    name: str
    title: str
    blocks: tuple[Block, ...]


@frozen
class Claim:
    """A statement of the report that can be checked again."""

    id: str
    section: str
    text: str
    kind: str
    value: Any
    proof: Mapping[str, Any]


@frozen
class Report:
    """`notice` is the first line of all, where there is something that must be known before the rest is read."""

    title: str
    sections: tuple[Section, ...]
    notice: Paragraph | None = None

    def _repr_html_(self) -> str:
        """The first section, and the titles of the rest: what a notebook shows."""
        if not self.sections:
            return f"<b>{html.escape(self.title)}</b>"
        first = self.sections[0]
        notices = [" ".join(sentence.text for sentence in self.notice.sentences)] if self.notice else []
        summary = "".join(f"<p>{html.escape(text)}</p>" for text in (*notices, *_texts(first)))
        summary += "".join(f"<figure>{picture._repr_html_()}</figure>" for picture in self.pictures())
        other_titles = ", ".join(html.escape(section.title) for section in self.sections[1:])
        return (
            f"<b>{html.escape(self.title)}</b><h4>{html.escape(first.title)}</h4>{summary}<p><i>{other_titles}</i></p>"
        )

    def pictures(self) -> Iterator[Picture]:
        """Every picture, in the order of the report; none where none were asked for."""
        for section in self.sections:
            yield from (block for block in section.blocks if isinstance(block, Picture))

    def claims(self) -> Iterator[Claim]:
        """Every proved fact, in the order of the report."""
        first = (Section("notice", "", (self.notice,)),) if self.notice else ()
        for section in (*first, *self.sections):
            count = 0
            for text, fact in _facts(section):
                if fact.proof:
                    count += 1
                    yield Claim(f"{section.name}-{count}", section.name, text, fact.kind, fact.value, fact.proof)


def _facts(section: Section) -> Iterator[tuple[str, Fact]]:
    for block in section.blocks:
        if isinstance(block, Paragraph):
            yield from _of_paragraph(block)
        elif isinstance(block, Bullets):
            for item in block.items:
                yield from _of_paragraph(item)
        elif isinstance(block, Quote):
            yield block.text, Fact(block.text, "quote", block.text, block.proof)
        elif isinstance(block, Table):
            for row in block.rows:
                line = " | ".join(cell if isinstance(cell, str) else cell.text for cell in row)
                yield from ((line, cell) for cell in row if isinstance(cell, Fact))


def _texts(section: Section) -> Iterator[str]:
    for block in section.blocks:
        paragraphs = block.items if isinstance(block, Bullets) else (block,) if isinstance(block, Paragraph) else ()
        for paragraph in paragraphs:
            yield " ".join(sentence.text for sentence in paragraph.sentences)


def _of_paragraph(paragraph: Paragraph) -> Iterator[tuple[str, Fact]]:
    for sentence in paragraph.sentences:
        yield from ((sentence.text, fact) for fact in sentence.facts)


@frozen
class Advice:
    """What to change, in words of a command, and the sentence that says why.

    `rollouts` are the failures of all runs that it may mend; `sure` is how likely they come of it, between 0 and 1.
    """

    kind: str
    change: str
    because: Sentence
    rollouts: int
    sure: float
    before_scores: bool = False
    """Whether the scores cannot be trusted until it is done: a prompt, a key or a verifier is at fault."""

    @property
    def worth(self) -> float:
        return self.rollouts * self.sure
