"""Holds a printed report against the runs: every number, id, name of a run and quote in it.

The runs are analysed anew and the report is worded anew. What the printed report says in BLADE's own words is compared
with that; what somebody added or rewrote is checked as far as it can be bound to a run, a task or a measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from blade.checking.align import align
from blade.checking.compare import Pair, columns_of, compare
from blade.checking.free_text import Prose
from blade.checking.markdown_blocks import Piece, pieces
from blade.checking.measures import Values
from blade.checking.names import Names, names_of
from blade.checking.outcome import Check, Checked, Kind, Outcome
from blade.checking.proofs import proofs
from blade.checking.quotes import Sought, find_quotes, folded
from blade.checking.redaction import Redaction
from blade.checking.statements import Statement, bound, statements
from blade.checking.tokens import Token, plain
from blade.counting.run import Run
from blade.document import Report
from blade.model import Analysis
from blade.renderers import markdown

__all__ = ["Check", "Checked", "Kind", "Outcome", "check_text"]

_COMMANDS = ("blade ", "--", "$ ", "make ", "uv ", "python ")


def check_text(text: str, report: Report, analysis: Analysis, runs: Sequence[Run]) -> Check:
    """Everything in a Markdown report that can be held against its runs."""
    names = names_of(analysis, runs)
    printed_anew = markdown.render(report)
    given, made = pieces(text), pieces(printed_anew)
    pairs = align(given, made)
    facts = proofs(report, made) if pairs else []
    prose, redaction = Prose(Values(analysis), names), Redaction(runs)
    found: list[Checked] = []
    sought: list[Sought] = []
    for place, (piece, said) in enumerate(zip(given, statements(given, names), strict=True)):
        own = said
        if place in pairs and piece.kind != "header":  # a header makes no claim: its names are looked up below
            beside = made[pairs[place]]
            blurred = redaction.blurs(piece) if piece.kind == "row" and piece.text != beside.text else frozenset()
            checked, loose = compare(Pair(piece, beside, facts[pairs[place]], names, blurred))
            found += checked
            own = [replace(one, only=frozenset(token.start for token in loose)) for one in said] if loose else []
            held = columns_of(piece, beside) if piece.kind == "row" else range(len(said))
            own += [one for column, one in enumerate(said) if column not in held]
        for one in own:
            found += prose.check(one)
            sought += _quotes(one)
    find_quotes(sought, runs)
    own_words = folded(plain(printed_anew))
    found += [_quoted(quote, own_words, names) for quote in sought]
    return Check(tuple(sorted(found, key=lambda thing: thing.line)))


def _quotes(said: Statement) -> Iterator[Sought]:
    piece = said.piece
    if piece.kind == "quote" and said.only is None:
        yield from _block_quote(said, piece)
        return
    for token in said.tokens:
        if token.kind is not Kind.QUOTE or (said.only is not None and token.start not in said.only):
            continue
        if not token.text.startswith(_COMMANDS):
            tasks = bound(token, said.mentions(Kind.ID), said.text) or said.tasks or said.tasks_around
            yield Sought(said, token, frozenset(tasks))


def _block_quote(said: Statement, piece: Piece) -> Iterator[Sought]:
    """The whole of a block quote; its last line, after a dash, says where it is from."""
    text = plain(piece.text)
    if text and not text.startswith(("—", "– ", "-- ")):
        whole = Token(Kind.QUOTE, text.strip('"“”'), 0, len(piece.text))
        yield Sought(said, whole, frozenset(said.tasks_around))


def _quoted(quote: Sought, own_words: str, names: Names) -> Checked:
    said, token = quote.said, quote.token
    if near := _near_run(said, token, names):
        return said.say(Outcome.WRONG, token, near, note="no run has this name")
    if quote.found:
        return said.say(Outcome.RIGHT, token)
    if quote.elsewhere:
        known = quote.elsewhere in names.tasks
        note = f"these words stand in a rollout of {quote.elsewhere}" if known else "these words stand in another task"
        return said.say(Outcome.WRONG if quote.strict else Outcome.UNVERIFIABLE, token, note=note)
    if " ".join(quote.parts) in own_words:
        return said.say(Outcome.RIGHT, token)
    if not quote.strict:
        return said.say(Outcome.UNVERIFIABLE, token, note="in no rollout, and no name of the runs")
    return said.say(Outcome.WRONG, token, quote.near or None, note="in no rollout that is meant")


def _near_run(said: Statement, token: Token, names: Names) -> str | None:
    """The run that was meant by a misspelled name after the word "run"."""
    if not token.code or " " in token.text or not said.text[: token.start].lower().rstrip().endswith("run"):
        return None
    return next(iter(get_close_matches(token.text, names.runs, 1, 0.7)), None)
