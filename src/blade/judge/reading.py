"""A report as the judge reads it: statements with their numbers, ids and quotes, and what stands around them.

Cutting into sentences, rows and tokens is that of `blade check`. Text between code fences, which `blade check` leaves
out, is read as quotes of the paragraph before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.checking.names import Names
from blade.checking.numbers import printed
from blade.checking.outcome import ClaimKind
from blade.checking.tokens import Token, plain, tokens
from blade.judge.words import content, words_of

LONGEST_REPORT = 4_000_000
_FENCE = re.compile(r"^(```+|~~~+)[^\n]*\n(.*?)(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s*(?://|#|--).*$")
_MARKS = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*")
_MEASURED = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(?:[x×sKM]|ms)")
"""A number with a unit written right behind it: "2.5x", "300s"."""
SHORT = 12
LONG_CELL = 60


@dataclass(frozen=True)
class ReportStatement:
    """One statement: a sentence, a list item's sentence, a table row or a heading."""

    place: int
    kind: str  # sentence, row, header, heading, quote
    text: str
    line: int
    section: str
    below: str
    block: int
    columns: tuple[str, ...]
    cells: tuple[str, ...]
    tokens: tuple[Token, ...]
    ids: tuple[Token, ...] = ()
    """The names of tasks among the tokens, made up or not."""

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The stems of a statement, ids and numbers left out."""
        return tuple(content(self.bare))

    @cached_property
    def bare(self) -> str:
        """The words alone: numbers and ids are taken out."""
        parts, last = [], 0
        for token in self.tokens:
            if token.kind in {ClaimKind.NUMBER, ClaimKind.ID}:
                parts.append(self.text[last : token.start])
                last = token.end
        return " ".join((*parts, self.text[last:]))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(words_of(self.bare))

    @cached_property
    def numbers(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.number is not None)

    @property
    def prose(self) -> bool:
        return self.kind == "sentence"


@dataclass(frozen=True)
class ReportReading:
    """A whole report."""

    text: str
    statements: tuple[ReportStatement, ...]
    fenced: tuple[tuple[int, str], ...] = field(default=())
    """Lines of code fences: the line they stand on, and their text."""

    @cached_property
    def prose(self) -> tuple[ReportStatement, ...]:
        return tuple(statement for statement in self.statements if statement.prose)

    @cached_property
    def rows(self) -> tuple[ReportStatement, ...]:
        return tuple(statement for statement in self.statements if statement.kind == "row")

    @cached_property
    def blocks(self) -> dict[int, list[ReportStatement]]:
        """The sentences of each paragraph or item."""
        blocks: dict[int, list[ReportStatement]] = {}
        for statement in self.prose:
            blocks.setdefault(statement.block, []).append(statement)
        return blocks

    def windows(self, longest: int = 3) -> Iterator[tuple[ReportStatement, ...]]:
        """One to three sentences in a row of one paragraph; each table row by itself."""
        for together in self.blocks.values():
            for size in range(1, min(longest, len(together)) + 1):
                for first in range(len(together) - size + 1):
                    yield tuple(together[first : first + size])
        for row in self.rows:
            yield (row,)


def read_report(text: str, names: Names) -> ReportReading:
    """Cut a report. What is too long to be a report is read as far as a report can be long."""
    report = text[:LONGEST_REPORT].replace("\x00", " ")
    blocks = markdown_blocks(report)
    statements = tuple(_statement(place, piece, names) for place, piece in enumerate(blocks))
    return ReportReading(report, statements, tuple(_fenced(report)))


def _statement(place: int, piece: MarkdownBlock, names: Names) -> ReportStatement:
    text = plain(piece.text if piece.kind == "quote" else _MARKS.sub("", piece.text))
    cells: tuple[str, ...] = ()
    if piece.kind in {"row", "header"}:
        cells = tuple(plain(_MARKS.sub("", cell)).replace("|", "¦") for cell in piece.cells)
        text = f"| {' | '.join(cells)} |"
    tokens = _tokens(text, names)
    if any(len(cell) > LONG_CELL for cell in cells):
        tokens = tuple(_without_long_cells(text, tokens))
    return ReportStatement(
        place,
        piece.kind,
        text,
        piece.line,
        plain(piece.section),
        plain(piece.below),
        piece.block,
        tuple(plain(_MARKS.sub("", title)) for title in piece.columns),
        cells,
        tokens,
        tuple(token for token in tokens if is_task(token, names)),
    )


def is_task(token: Token, names: Names) -> bool:
    """Whether a token names a task; files and words of the runs stand in the same signs, and name none."""
    return token.kind is ClaimKind.ID and (token.text.isdecimal() or names.is_task(token.text))


def _without_long_cells(text: str, text_tokens: tuple[Token, ...]) -> Iterator[Token]:
    """In a cell that holds a passage, numbers are part of the passage and no figures of the report."""
    for token in text_tokens:
        start, end = text.rfind("|", 0, token.start + 1), text.find("|", token.end)
        if token.number is None or end - start <= LONG_CELL + 2:
            yield token


@lru_cache(maxsize=50_000)
def _tokens(text: str, names: Names) -> tuple[Token, ...]:
    return tuple(number_with_unit(token) for token in tokens(text, names))


def number_with_unit(token: Token) -> Token:
    match = _MEASURED.fullmatch(token.text) if token.kind is ClaimKind.WORD else None
    if match is None:
        return token
    return Token(ClaimKind.NUMBER, token.text, token.start, token.end, number=printed(match[1]))


def _fenced(text: str) -> Iterator[tuple[int, str]]:
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        for step, raw in enumerate(match[2].splitlines()):
            code = _COMMENT.sub("", raw).strip()
            if len(code) >= SHORT and " " in code:
                yield line + step, code
