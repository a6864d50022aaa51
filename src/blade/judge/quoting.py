"""Quotes: what a report cites must stand in the rollouts of the task it cites it for, or in the golden report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.outcome import ClaimKind
from blade.checking.quotes import Sought, find_quotes
from blade.checking.statements import Statement
from blade.checking.tokens import LONG_QUOTE, Token
from blade.frozen import frozen
from blade.judge.base import Base
from blade.judge.reading import ReportReading, ReportStatement

FOUND, ELSEWHERE, NOWHERE, OWN = "found", "elsewhere", "nowhere", "own words"
_COMMANDS = ("blade ", "--", "$ ", "make ", "uv ", "python ")
_SOURCE = ("—", "– ", "-- ")


@frozen
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


def cited(reading: ReportReading, base: Base) -> list[Cited]:
    """Every quote that is long enough to be held against the runs."""
    return [quote for quote in _cited(reading, base) if len(quote.text) > LONG_QUOTE and " " in quote.text.strip()]


def _cited(reading: ReportReading, base: Base) -> Iterator[Cited]:
    tasks_around: frozenset[str] = frozenset()
    waiting: list[ReportStatement] = []
    for statement in reading.statements:
        tasks = frozenset(token.text for token in statement.ids if token.text in base.names.tasks)
        if statement.kind == "heading":
            tasks_around = tasks
        if statement.kind == "quote":
            if statement.text.startswith(_SOURCE):
                yield from (
                    Cited(quote.text.strip('"“”'), quote.line, quote.block, tasks or tasks_around, True)
                    for quote in waiting
                )
                waiting = []
            else:
                waiting.append(statement)
            continue
        yield from (Cited(quote.text.strip('"“”'), quote.line, quote.block, tasks_around, True) for quote in waiting)
        waiting = []
        for token in statement.tokens:
            if token.kind is ClaimKind.QUOTE and not token.text.startswith(_COMMANDS):
                yield Cited(token.text, statement.line, statement.block, tasks, statement.prose)
        if statement.prose and tasks:
            tasks_around = tasks
    yield from (Cited(quote.text.strip('"“”'), quote.line, quote.block, tasks_around, True) for quote in waiting)
    yield from (Cited(text, line, -1, frozenset(), True) for line, text in reading.fenced)


def named_texts(reading: ReportReading, base: Base) -> list[Cited]:
    """Words in back-ticks that are joined as the ids are and that no believed text has: a name, or a made-up task."""
    return [
        Cited(token.text, statement.line, statement.block, frozenset(), prose=statement.prose)
        for statement in reading.statements
        for token in statement.tokens
        if token.code
        and token.kind is ClaimKind.QUOTE
        and base.names.worded_like_a_task(token.text)
        and token.text.lower() not in base.believed_words
    ]


def made_up(reading: ReportReading, base: Base) -> frozenset[str]:
    """Those of them that stand in no rollout: a tool or a field does."""
    names = named_texts(reading, base)
    look_up(names, base)
    return frozenset(quote.text for quote in names if base.quotes[quote.key] == NOWHERE)


def look_up(quotes: Iterable[Cited], base: Base) -> None:
    """Look for all quotes in one pass over the runs' files; what was found is kept in the base."""
    missing = {quote.key: quote for quote in quotes if quote.key not in base.quotes}
    if not missing:
        return
    sought = {key: _sought(quote) for key, quote in missing.items()}
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


def _sought(quote: Cited) -> Sought:
    piece = MarkdownBlock("quote", quote.text, quote.line, "", "", quote.block)
    return Sought(
        Statement(piece, quote.text, (), quote.text),
        Token(ClaimKind.QUOTE, quote.text, 0, len(quote.text)),
        quote.tasks,
    )


def outcomes(reading: ReportReading, base: Base) -> list[tuple[Cited, str]]:
    """Each quote of a report with what became of it; words of the golden report alone are nobody's fault."""
    quotes = cited(reading, base)
    look_up(quotes, base)
    return [(quote, base.quotes[quote.key]) for quote in quotes]
