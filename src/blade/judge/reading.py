"""A report as the judge reads it: statements with their numbers, ids and quotes, and what stands around them.

Cutting into sentences, rows and tokens is that of `blade check`. Text between code fences, which `blade check` leaves
out, is read as quotes of the paragraph before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from blade.checking.markdown_blocks import Piece, pieces
from blade.checking.names import Names
from blade.checking.numbers import printed
from blade.checking.outcome import Kind
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
class Said:
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
        made, last = [], 0
        for token in self.tokens:
            if token.kind in {Kind.NUMBER, Kind.ID}:
                made.append(self.text[last : token.start])
                last = token.end
        return " ".join((*made, self.text[last:]))

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
class Reading:
    """A whole report."""

    text: str
    said: tuple[Said, ...]
    fenced: tuple[tuple[int, str], ...] = field(default=())
    """Lines of code fences: the line they stand on, and their text."""

    @cached_property
    def prose(self) -> tuple[Said, ...]:
        return tuple(one for one in self.said if one.prose)

    @cached_property
    def rows(self) -> tuple[Said, ...]:
        return tuple(one for one in self.said if one.kind == "row")

    @cached_property
    def blocks(self) -> dict[int, list[Said]]:
        """The sentences of each paragraph or item."""
        made: dict[int, list[Said]] = {}
        for one in self.prose:
            made.setdefault(one.block, []).append(one)
        return made

    def windows(self, most: int = 3) -> Iterator[tuple[Said, ...]]:
        """One to three sentences in a row of one paragraph; each table row by itself."""
        for together in self.blocks.values():
            for size in range(1, min(most, len(together)) + 1):
                for first in range(len(together) - size + 1):
                    yield tuple(together[first : first + size])
        for row in self.rows:
            yield (row,)


def read_report(text: str, names: Names) -> Reading:
    """Cut a report. What is too long to be a report is read as far as a report can be long."""
    kept = text[:LONGEST_REPORT].replace("\x00", " ")
    found = pieces(kept)
    made = tuple(_said(place, piece, names) for place, piece in enumerate(found))
    return Reading(kept, made, tuple(_fenced(kept)))


def _said(place: int, piece: Piece, names: Names) -> Said:
    text = plain(piece.text if piece.kind == "quote" else _MARKS.sub("", piece.text))
    cells: tuple[str, ...] = ()
    if piece.kind in {"row", "header"}:
        cells = tuple(plain(_MARKS.sub("", cell)).replace("|", "¦") for cell in piece.cells)
        text = f"| {' | '.join(cells)} |"
    made = _tokens(text, names)
    if any(len(cell) > LONG_CELL for cell in cells):
        made = tuple(_without_long_cells(text, made))
    return Said(
        place,
        piece.kind,
        text,
        piece.line,
        plain(piece.section),
        plain(piece.below),
        piece.block,
        tuple(plain(_MARKS.sub("", title)) for title in piece.columns),
        cells,
        made,
        tuple(token for token in made if is_task(token, names)),
    )


def is_task(token: Token, names: Names) -> bool:
    """Whether a token names a task; files and words of the runs stand in the same signs, and name none."""
    return token.kind is Kind.ID and (token.text.isdecimal() or names.is_task(token.text))


def _without_long_cells(text: str, found: tuple[Token, ...]) -> Iterator[Token]:
    """In a cell that holds a passage, numbers are part of the passage and no figures of the report."""
    for token in found:
        start, end = text.rfind("|", 0, token.start + 1), text.find("|", token.end)
        if token.number is None or end - start <= LONG_CELL + 2:
            yield token


@lru_cache(maxsize=50_000)
def _tokens(text: str, names: Names) -> tuple[Token, ...]:
    return tuple(number_with_unit(token) for token in tokens(text, names))


def number_with_unit(token: Token) -> Token:
    match = _MEASURED.fullmatch(token.text) if token.kind is Kind.WORD else None
    if match is None:
        return token
    return Token(Kind.NUMBER, token.text, token.start, token.end, number=printed(match[1]))


def _fenced(text: str) -> Iterator[tuple[int, str]]:
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        for step, raw in enumerate(match[2].splitlines()):
            told = _COMMENT.sub("", raw).strip()
            if len(told) >= SHORT and " " in told:
                yield line + step, told
