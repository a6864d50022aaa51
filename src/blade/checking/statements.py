"""Somebody's own sentences and cells, with what they speak of: the runs and tasks they name, or that are named around.

A sentence that names no run speaks of the run that was named last in its paragraph, else in the heading. A cell speaks
of the run in its column's title or in its row, and of the task in its row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from blade.checking.markdown_blocks import MarkdownBlock
from blade.checking.names import Names
from blade.checking.outcome import LONGEST_CONTEXT, Checked, CheckOutcome, ClaimKind
from blade.checking.tokens import Token, plain, tokens
from blade.frozen import frozen

_JOINED = {"and", ",", "or", "/", "vs", "vs.", "versus", "to", "→", "&", ", and", "against"}
_KIND = r"(?:judged|void|lost|failed|failing|passing|other)"
_COUNTED = r"(?:attempts|failures|passes|rollouts|rows|tasks|times|trials|tries)"
_OF_ATTEMPTS = rf"(?:\s+(?:{_KIND}\s+)?{_COUNTED}(?=\s+(?:in|for|on|by|of)\b))?"
RIGHT_AFTER = re.compile(rf"{_OF_ATTEMPTS}[\s*_]*(?:\(|in|for|on|by|with|of)[\s*_]*(?:the\s+)?")
_LISTED_BEHIND = re.compile(r"[\s`*_]*(?:,|,?\s*\b(?:and|or)\b|&)\s*(?:(?:in|by|for|with|on|of)\s+)?[\s`*_]*")
_EVERY_RUN = re.compile(
    rf"(?:\s+{_COUNTED})?\s+(?:in|by|for|with|on|of)\s+(?:every|each|all)(?:\s+(?:of\s+)?the)?(?:\s+other)?"
    r"\s+(?:runs?|models?|agents?)\b(?P<but>,?\s+\(?(?:except|excepting|but|save|other than|apart from)\b)?",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"(?<![\w@^])\d")
_LOOSENING = frozenset("from against than versus vs vs. to over below above compared between both".split())


@frozen
class Statement:
    """A text of one piece, its tokens, and what it is about."""

    piece: MarkdownBlock
    text: str
    tokens: tuple[Token, ...]
    about: str
    """The text in which words like "score" are looked for: the sentence, or a cell with its titles."""
    runs: tuple[str, ...] = ()
    """Runs that the row or the column names, where the text itself names none."""
    tasks: tuple[str, ...] = ()
    runs_around: tuple[str, ...] = ()
    tasks_around: tuple[str, ...] = ()
    only: frozenset[int] | None = None
    """Starts of the tokens to be checked, where the rest has a counterpart."""

    first_column: str | None = None
    """The title of a cell's column, where it is the first of its row."""

    def mentions(self, kind: ClaimKind) -> list[Token]:
        return [token for token in self.tokens if token.kind is kind and token.known]

    def say(
        self,
        outcome: CheckOutcome,
        token: Token,
        expected: str | None = None,
        path: tuple[str | int, ...] = (),
        note: str = "",
    ) -> Checked:
        place = token.start if self.text == self.piece.text else 0
        context = plain(self.piece.text)[:LONGEST_CONTEXT]
        return Checked(outcome, token.kind, self.piece.line_at(place), token.text, expected, path, context, note)


def bound(token: Token, mentions: Sequence[Token], text: str) -> tuple[str, ...]:
    """The names that a number or a quote belongs to: the one right beside it where that is plain, else all of them."""
    names = tuple(dict.fromkeys(mention.text for mention in mentions))
    if len(names) <= 1:
        return names
    after = next((mention for mention in mentions if mention.start >= token.end), None)
    if after is not None and RIGHT_AFTER.fullmatch(text, token.end, after.start):
        return (after.text,)
    before = [mention for mention in mentions if mention.end <= token.start]
    if before and _is_next_to(before, token, text):
        return (before[-1].text,)
    return names


def listed_runs(token: Token, mentions: Sequence[Token], text: str) -> tuple[str, ...]:
    """The runs of a list right behind a number: "5 of 5 by A and by B" says it of each."""
    behind = [mention for mention in mentions if mention.start >= token.end]
    if not behind or not RIGHT_AFTER.fullmatch(text, token.end, behind[0].start):
        return ()
    names = [behind[0].text]
    for first, second in pairwise(behind):
        if not _LISTED_BEHIND.fullmatch(text, first.end, second.start):
            break
        names.append(second.text)
    return tuple(names)


def every_run(token: Token, mentions: Sequence[Token], text: str, runs: Sequence[str]) -> tuple[str, ...]:
    """The runs of "4 of 4 by every run except A and B": all but those that are named behind it."""
    match = _EVERY_RUN.match(text, token.end)
    if match is None or (match["but"] is None and any(mention.start >= match.end() for mention in mentions)):
        return ()
    left_out = {mention.text for mention in mentions if mention.start >= match.end()}
    return tuple(run for run in runs if run not in left_out)


def _is_next_to(before: Sequence[Token], token: Token, text: str) -> bool:
    """Whether the last name before a number is the one it belongs to: "a scores 60 %", not "a and b score 60 %"."""
    text_between = text[before[-1].end : token.start]
    if ";" in text_between or _DIGIT.search(text_between) or _LOOSENING & set(text_between.lower().split()):
        return False
    return len(before) < 2 or text[before[-2].end : before[-1].start].strip(" *_`") not in _JOINED


def statements(blocks: Sequence[MarkdownBlock], names: Names) -> Iterator[list[Statement]]:
    """For each piece of a report its statements: one, or one for each cell."""
    block = -1
    heading: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    names_around = heading
    for piece in blocks:
        if piece.kind == "heading":
            heading = names_around = _names_in(tokens(piece.text, names))
        elif piece.block != block:
            names_around = heading
        block = piece.block
        if piece.kind == "row":
            yield list(_cells(piece, names, names_around))
            continue
        block_tokens = tuple(tokens(piece.text, names))
        yield [
            Statement(
                piece, piece.text, block_tokens, piece.text, runs_around=names_around[0], tasks_around=names_around[1]
            )
        ]
        runs, tasks = _names_in(block_tokens)
        names_around = (runs or names_around[0], tasks or names_around[1])


def _names_in(all_tokens: Sequence[Token]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    known_tokens = [token for token in all_tokens if token.known]
    runs = tuple(dict.fromkeys(token.text for token in known_tokens if token.kind is ClaimKind.RUN))
    tasks = tuple(dict.fromkeys(token.text for token in known_tokens if token.kind is ClaimKind.ID))
    return runs, tasks


def _cells(
    piece: MarkdownBlock, names: Names, names_around: tuple[tuple[str, ...], tuple[str, ...]]
) -> Iterator[Statement]:
    cells = piece.cells
    runs, tasks = _names_in([token for cell in cells for token in tokens(cell, names)])
    for place, cell in enumerate(cells):
        title = piece.columns[place] if place < len(piece.columns) else ""
        of_column, _ = _names_in(tokens(title, names))
        about = " ".join((title, cells[0] if place else "", cell))
        statement = Statement(piece, cell, tuple(tokens(cell, names)), about, of_column or runs, tasks)
        first = None if place else title
        yield replace(statement, runs_around=names_around[0], tasks_around=names_around[1], first_column=first)
