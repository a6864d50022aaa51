"""Quotes: what a report cites must stand in the rollouts of the task it cites it for, or in the golden report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from blade.checking.markdown_blocks import Piece
from blade.checking.outcome import Kind
from blade.checking.quotes import Sought, find_quotes, folded
from blade.checking.statements import Statement
from blade.checking.tokens import LONG_QUOTE, Token
from blade.judge.base import Base
from blade.judge.reading import Reading, Said

FOUND, ELSEWHERE, NOWHERE, OWN = "found", "elsewhere", "nowhere", "own words"
_COMMANDS = ("blade ", "--", "$ ", "make ", "uv ", "python ")
_SOURCE = ("—", "– ", "-- ")


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote, where it stands, and the tasks it is said to be from."""

    text: str
    line: int
    block: int
    tasks: frozenset[str]
    prose: bool

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        return self.text, self.tasks


def cited(reading: Reading, base: Base) -> list[Cited]:
    """Every quote that is long enough to be held against the runs."""
    return [one for one in _cited(reading, base) if len(one.text) > LONG_QUOTE and " " in one.text.strip()]


def _cited(reading: Reading, base: Base) -> Iterator[Cited]:
    around: frozenset[str] = frozenset()
    waiting: list[Said] = []
    for said in reading.said:
        tasks = frozenset(token.text for token in said.ids if token.text in base.names.tasks)
        if said.kind == "heading":
            around = tasks
        if said.kind == "quote":
            if said.text.startswith(_SOURCE):
                yield from (Cited(one.text.strip('"“”'), one.line, one.block, tasks or around, True) for one in waiting)
                waiting = []
            else:
                waiting.append(said)
            continue
        yield from (Cited(one.text.strip('"“”'), one.line, one.block, around, True) for one in waiting)
        waiting = []
        for token in said.tokens:
            if token.kind is Kind.QUOTE and not token.text.startswith(_COMMANDS):
                yield Cited(token.text, said.line, said.block, tasks, said.prose)
        if said.prose and tasks:
            around = tasks
    yield from (Cited(one.text.strip('"“”'), one.line, one.block, around, True) for one in waiting)
    yield from (Cited(text, line, -1, frozenset(), True) for line, text in reading.fenced)


def named(reading: Reading, base: Base) -> list[Cited]:
    """Words in back-ticks that are joined as the ids are and that no believed text has: a name, or a made-up task."""
    return [
        Cited(token.text, said.line, said.block, frozenset(), prose=said.prose)
        for said in reading.said
        for token in said.tokens
        if token.code
        and token.kind is Kind.QUOTE
        and base.names.worded_like_a_task(token.text)
        and token.text.lower() not in base.believed_words
    ]


def made_up(reading: Reading, base: Base) -> frozenset[str]:
    """Those of them that stand in no rollout: a tool or a field does."""
    found = named(reading, base)
    look_up(found, base)
    return frozenset(one.text for one in found if base.quotes[one.key] == NOWHERE)


def look_up(wanted: Iterable[Cited], base: Base) -> None:
    """Look for all quotes in one pass over the runs' files; what was found is kept in the base."""
    missing = {one.key: one for one in wanted if one.key not in base.quotes}
    if not missing:
        return
    sought = {key: _sought(one) for key, one in missing.items()}
    if base.material is not None:
        find_quotes(list(sought.values()), base.material.runs)
    for key, quote in sought.items():
        if quote.found:
            base.quotes[key] = FOUND
        elif quote.elsewhere:
            base.quotes[key] = ELSEWHERE
        elif quote.parts and all(part.lower() in base.golden_words for part in quote.parts):
            base.quotes[key] = FOUND if base.material is None else OWN
        else:
            base.quotes[key] = NOWHERE


def _sought(one: Cited) -> Sought:
    piece = Piece("quote", one.text, one.line, "", "", one.block)
    return Sought(Statement(piece, one.text, (), one.text), Token(Kind.QUOTE, one.text, 0, len(one.text)), one.tasks)


def outcomes(reading: Reading, base: Base) -> list[tuple[Cited, str]]:
    """Each quote of a report with what became of it; words of the golden report alone are nobody's fault."""
    found = cited(reading, base)
    look_up(found, base)
    return [(one, base.quotes[one.key]) for one in found]


def same_words(one: str, other: str) -> bool:
    return folded(one).lower() == folded(other).lower()
