"""The blocks of a section as pieces that are kept or left out: statements, rows of tables and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Quote, Section, Sentence, Table
from blade.short_report.sentences import limits, statements
from blade.short_report.worth import Substance, substance_of

STORIES = ("sometimes_pass_deep_dives", "never_pass_deep_dives")
"""Sections in which a heading is one task's story."""
SMALL_TABLE = 8
"""A table of so many rows is shown whole or not at all: a row of it says little without the others."""


@dataclass(eq=False)
class ReportPiece:
    """`place` is the block, the item in it and the order in that; `needs` must be kept where this is.

    `lead` is the first under its heading, `order` counts the paragraphs before it there, `item` stands in a list,
    `pinned` in a table that is kept as it is.
    """

    kind: str  # statement | row | quote | frame
    section: str
    heading: int | None
    place: tuple[int, int, int]
    text: str
    words: int
    body: Sentence | tuple[tuple[str | Fact, ...], ...] | None = None
    needs: tuple[ReportPiece, ...] = ()
    title: str = ""
    lead: bool = False
    item: bool = False
    pinned: bool = False
    order: int = 0
    kept: bool = field(default=False, compare=False)

    runs: tuple[str, ...] = ()

    @property
    def amount(self) -> int:
        """How many statements, rows or quotes it is."""
        return len(self.body) if isinstance(self.body, tuple) else 1

    @property
    def part(self) -> tuple[str, int | None]:
        """The heading under which it stands."""
        return self.section, self.heading

    @cached_property
    def substance(self) -> Substance:
        return substance_of(self.text, self.runs)

    def closure(self) -> Iterator[ReportPiece]:
        """This piece and all that it needs and that is not yet kept."""
        if not self.needs:
            return iter(() if self.kept else (self,))
        pending, needed = [self], []
        while pending:
            piece = pending.pop()
            if not piece.kept and piece not in needed:
                needed.append(piece)
                pending += piece.needs
        return iter(needed)


def pieces_of(section: Section, runs: Sequence[str]) -> list[ReportPiece]:
    """Every piece of a section in the order of the report; headings, captions and caveats are frames of the others."""
    longest_first = tuple(sorted(runs, key=len, reverse=True))
    pieces: list[ReportPiece] = []
    frame: tuple[ReportPiece, ...] = ()
    heading, title = None, section.title
    for at, block in enumerate(section.blocks):
        if isinstance(block, Heading):
            heading, title = at, block.text
            frame = (ReportPiece("frame", section.name, heading, (at, 0, 0), block.text, 2 + _words(block.text)),)
            pieces += frame
            continue
        block_pieces = list(_of_block(block, at, section.name, heading, frame, runs, pieces))
        if isinstance(block, Paragraph) and _is_frame(block, section.blocks[at + 1 : at + 2], runs):
            for piece in block_pieces:
                piece.kind = "frame"
            frame = (*frame, *block_pieces)
        if (
            block_pieces
            and block_pieces[0].kind == "statement"
            and not any(piece.lead for piece in pieces if piece.heading == heading)
        ):
            block_pieces[0].lead = True
        before = len({piece.place[:2] for piece in pieces if piece.heading == heading and piece.kind == "statement"})
        for piece in block_pieces:
            piece.title, piece.runs, piece.order = title, longest_first, before + piece.place[1]
        pieces += block_pieces
    if section.name in STORIES:
        _keep_stories_whole(pieces)
        _lead_to_stories(pieces, runs)
    return pieces


def _lead_to_stories(pieces: Sequence[ReportPiece], runs: Sequence[str]) -> None:
    """What a run's heading says of its stories stands where one of them does, and with each of them."""
    lead: tuple[ReportPiece, ...] = ()
    for piece in pieces:
        if piece.title in runs and piece.kind == "statement":
            piece.kind = "frame"
            lead = (*(earlier for earlier in lead if earlier.heading == piece.heading), piece)
        elif piece.kind != "frame":
            piece.needs = (*piece.needs, *lead)


def _keep_stories_whole(pieces: Sequence[ReportPiece]) -> None:
    """What a task's story tells needs its beginning: how often it fails, what the attempt did, where it goes wrong."""
    stories: dict[int | None, list[ReportPiece]] = {}
    for piece in pieces:
        if piece.kind != "frame":
            stories.setdefault(piece.heading, []).append(piece)
    for story in stories.values():
        first = next((piece.place[:2] for piece in story if piece.kind == "statement"), None)
        beginning = tuple(piece for piece in story if piece.kind == "statement" and piece.place[:2] == first)
        for piece in story:
            piece.needs = (*piece.needs, *(part for part in beginning if part is not piece))


def _is_frame(block: Paragraph, following: Sequence[Block], runs: Sequence[str]) -> bool:
    """Whether a paragraph states nothing by itself: it limits what is said elsewhere, or leads to what follows."""
    text = _text(block)
    if text.endswith(":"):
        return True
    if any(letter.isdigit() for letter in text):
        return False
    leads = any(isinstance(after, Bullets | Table) for after in following)
    return limits(text) or (leads and not any(run in text for run in runs) and not _has_facts(block))


def _has_facts(paragraph: Paragraph) -> bool:
    return any(isinstance(part, Fact) for sentence in paragraph.sentences for part in sentence.parts)


def _of_block(
    block: Block,
    at: int,
    section: str,
    heading: int | None,
    frame: tuple[ReportPiece, ...],
    runs: Sequence[str],
    before: Sequence[ReportPiece],
) -> Iterator[ReportPiece]:
    if isinstance(block, Paragraph):
        yield from _statements(block, (at, 0), section, heading, frame, runs)
    elif isinstance(block, Bullets):
        before_item: tuple[ReportPiece, ...] = ()
        for number, item in enumerate(block.items):
            item_pieces = list(_statements(item, (at, number), section, heading, frame, runs))
            for piece in item_pieces:
                piece.item = True
                piece.needs = (*piece.needs, *before_item)
            before_item = tuple(item_pieces[:1]) if block.ranked else ()
            yield from item_pieces
    elif isinstance(block, Table):
        title = f"{block.caption} {' '.join(column.lstrip('>') for column in block.columns)}"
        words = _words(title) + 2 * len(block.columns)
        head = ReportPiece("frame", section, heading, (at, 0, 0), title, words, needs=frame)
        yield head
        turned = not block.columns[0]  # runs stand down beside what is counted over all of them
        step = len(block.rows) if turned or len(block.rows) <= SMALL_TABLE else 1
        needs = head
        for first in range(0, len(block.rows), max(step, 1)):
            rows = block.rows[first : first + step]
            text = "\n".join(" | ".join(cell if isinstance(cell, str) else cell.text for cell in row) for row in rows)
            words = _words(text) + 2 * len(rows)
            piece = ReportPiece("row", section, heading, (at, first, 0), text, words, body=rows, needs=(needs,))
            piece.pinned = block.pinned
            yield piece
            needs = piece if block.ranked else head
    elif isinstance(block, Quote):
        text = f"{block.text} {block.source}"
        shown = (*frame, *_claim(block, heading, runs, before))
        yield ReportPiece("quote", section, heading, (at, 0, 0), text, _words(text) + 4, needs=shown)


def _claim(
    quote: Quote, heading: int | None, runs: Sequence[str], before: Sequence[ReportPiece]
) -> tuple[ReportPiece, ...]:
    """What a quote shows: the item on its run, where a list of such items stands before it, else what stands there."""
    if not before or before[-1].heading != heading or before[-1].kind != "statement":
        return ()
    last = before[-1]
    items = [piece for piece in before if last.item and piece.heading == heading and piece.place[0] == last.place[0]]
    run = next((run for run in sorted(runs, key=len, reverse=True) if quote.source.startswith(f"{run}, ")), None)
    return tuple(piece for piece in items if run is not None and run in piece.text)[:1] or (last,)


def _statements(
    paragraph: Paragraph,
    at: tuple[int, int],
    section: str,
    heading: int | None,
    frame: tuple[ReportPiece, ...],
    runs: Sequence[str],
) -> Iterator[ReportPiece]:
    statements_before: list[ReportPiece] = []
    for number, (sentence, needed) in enumerate(statements(paragraph, runs)):
        needs = frame if needed is None else (*frame, statements_before[needed])
        text = sentence.text
        place = (*at, number)
        statements_before.append(
            ReportPiece("statement", section, heading, place, text, _words(text), body=sentence, needs=needs)
        )
    yield from statements_before


def kept_blocks(section: Section, pieces: Sequence[ReportPiece]) -> tuple[Block, ...]:
    """The section's blocks with the pieces that are kept, in their order."""
    pieces_of_block: dict[int, list[ReportPiece]] = {}
    for piece in pieces:
        if piece.kept:
            pieces_of_block.setdefault(piece.place[0], []).append(piece)
    return tuple(
        _closed(short) if isinstance(short, Paragraph) and at + 1 not in pieces_of_block else short
        for at, block in enumerate(section.blocks)
        if at in pieces_of_block
        for short in [_short(block, pieces_of_block[at])]
    )


def _closed(paragraph: Paragraph) -> Paragraph:
    """The paragraph with a full stop where it led to something that is left out."""
    *sentences, last = paragraph.sentences or (Sentence(()),)
    end = last.parts[-1] if last.parts else ""
    if not isinstance(end, str) or not end.endswith(":"):
        return paragraph
    return Paragraph((*sentences, Sentence((*last.parts[:-1], f"{end.removesuffix(':')}."))))


def _short(block: Block, pieces: Sequence[ReportPiece]) -> Block:
    if isinstance(block, Paragraph):
        return Paragraph(tuple(piece.body for piece in pieces if isinstance(piece.body, Sentence)))
    if isinstance(block, Bullets):
        items: dict[int, list[Sentence]] = {}
        for piece in pieces:
            if isinstance(piece.body, Sentence):
                items.setdefault(piece.place[1], []).append(piece.body)
        return Bullets(tuple(Paragraph(tuple(sentences)) for sentences in items.values()), block.ranked)
    if isinstance(block, Table):
        rows = tuple(row for piece in pieces if isinstance(piece.body, tuple) for row in piece.body)
        return replace(block, rows=rows)
    return block


def _text(paragraph: Paragraph) -> str:
    return " ".join(sentence.text for sentence in paragraph.sentences)


def _words(text: str) -> int:
    return len(text.split())
