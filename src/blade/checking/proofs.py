"""The place in the analysis behind a printed sentence or row: the report's facts, found again by their text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.checking.numbers import Path
from blade.checking.tokens import plain
from blade.document import Block, Bullets, Fact, Paragraph, Report, Table

Key = tuple[str, str]


def proofs(report: Report, printed_blocks: Sequence[MarkdownBlock]) -> list[tuple[Fact, ...]]:
    """For each piece of the report made anew, the facts that its text was built from. Equal texts go in order."""
    waiting: dict[Key, deque[tuple[Fact, ...]]] = {}
    for section in report.sections:
        for block in section.blocks:
            for text, facts in _texts_of(block):
                waiting.setdefault((plain(section.title), _folded(text)), deque()).append(facts)
    return [_next(waiting.get((plain(piece.section), _key(piece)))) for piece in printed_blocks]


def _next(queue: deque[tuple[Fact, ...]] | None) -> tuple[Fact, ...]:
    return queue.popleft() if queue else ()


def path_of(facts: Sequence[Fact], text: str) -> Path:
    """The place behind the part of a piece that prints this text."""
    proved = [fact for fact in facts if fact.proof]
    exact = [fact for fact in proved if plain(fact.text) == text]
    containing = exact or [fact for fact in proved if text in plain(fact.text)]
    return tuple(containing[0].proof["args"]["path"]) if containing and "args" in containing[0].proof else ()


def _texts_of(block: Block) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    if isinstance(block, Paragraph):
        yield from _paragraph(block)
    elif isinstance(block, Bullets):
        for item in block.items:
            yield from _paragraph(item)
    elif isinstance(block, Table):
        for row in block.rows:
            text = " | ".join(cell if isinstance(cell, str) else cell.text for cell in row)
            yield text, tuple(cell for cell in row if isinstance(cell, Fact))


def _paragraph(paragraph: Paragraph) -> Iterator[tuple[str, tuple[Fact, ...]]]:
    """A sentence is cut as the printed one is: a full stop inside it ends a piece."""
    for sentence in paragraph.sentences:
        for part in markdown_blocks(f"x {sentence.text}"):
            yield part.text.removeprefix("x "), sentence.facts


def _key(piece: MarkdownBlock) -> str:
    return _folded(" | ".join(piece.cells) if piece.kind in {"row", "header"} else piece.text)


def _folded(text: str) -> str:
    """Text without what only markup adds."""
    return plain(text).replace("`", "").replace("\\", "")
