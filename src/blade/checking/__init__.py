"""Holds a printed report against the runs: every number, id, name of a run and quote in it.

The runs are analysed anew and the report is worded anew. What the printed report says in BLADE's own words is compared
with that; what somebody added or rewrote is checked as far as it can be bound to a run, a task or a measure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from blade.checking.align import align
from blade.checking.citations import CitedCounts, ids
from blade.checking.compare import BlockPair, columns_of, compare
from blade.checking.free_text import FreeTextCheck
from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.checking.measures import Compared, Values
from blade.checking.names import Names, names_of
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind, ReportCheck
from blade.checking.proofs import proofs
from blade.checking.quotes import Sought, find_quotes, folded
from blade.checking.redaction import Redaction
from blade.checking.statements import Statement, bound, statements
from blade.checking.tokens import Token, plain
from blade.counting.run import Run
from blade.document import Report
from blade.model import Analysis
from blade.renderers import markdown
from blade.short_report import shortened

__all__ = ["CheckOutcome", "Checked", "CitedCounts", "ClaimKind", "ReportCheck", "check_text", "ids"]

_SPEAKS = re.compile(
    r"\b(?:says?|said|writes?|wrote|answers?|answered|repl(?:y|ies|ied)|states?|stated|tells?|ends? with|ended with)\b",
    re.IGNORECASE,
)
"""The run of such a sentence says what is quoted; in others the words may be another's."""
_COMMANDS = ("blade ", "--", "$ ", "make ", "uv ", "python ")


def check_text(
    text: str,
    report: Report,
    analysis: Analysis,
    runs: Sequence[Run],
    cited: Mapping[str, CitedCounts] | None = None,
    compared: Compared | None = None,
) -> ReportCheck:
    """Everything in a Markdown report that can be held against its runs.

    `cited` are the counts that it names by id; `compared` compares two runs that the analysis did not.
    """
    names = names_of(analysis, runs)
    report_blocks = markdown_blocks(text)
    report, printed_anew = _printed_anew(text, report, [run.name for run in analysis.runs])
    printed_blocks = markdown_blocks(printed_anew)
    pairs = align(report_blocks, printed_blocks)
    facts = proofs(report, printed_blocks) if pairs else []
    prose = FreeTextCheck(Values(analysis, compared), names, cited, printed_blocks)
    redaction = Redaction(runs)
    checks: list[Checked] = []
    sought: list[Sought] = []
    for place, (piece, block_statements) in enumerate(
        zip(report_blocks, statements(report_blocks, names), strict=True)
    ):
        loose_statements = block_statements
        if place in pairs and piece.kind != "header":  # a header makes no claim: its names are looked up below
            printed_block = printed_blocks[pairs[place]]
            blurred = (
                redaction.blurs(piece) if piece.kind == "row" and piece.text != printed_block.text else frozenset()
            )
            checked, loose = compare(BlockPair(piece, printed_block, facts[pairs[place]], names, blurred))
            checks += checked
            loose_statements = (
                [replace(statement, only=frozenset(token.start for token in loose)) for statement in block_statements]
                if loose
                else []
            )
            compared_columns = columns_of(piece, printed_block) if piece.kind == "row" else range(len(block_statements))
            loose_statements += [
                statement for column, statement in enumerate(block_statements) if column not in compared_columns
            ]
        for statement in loose_statements:
            checks += prose.check(statement)
            sought += _quotes(statement)
    find_quotes(sought, runs)
    own_words = folded(plain(printed_anew))
    checks += [_quoted(quote, own_words, names) for quote in sought]
    return ReportCheck(tuple(sorted(checks, key=lambda check: check.line)))


def _printed_anew(text: str, report: Report, runs: Sequence[str]) -> tuple[Report, str]:
    """The report as it would be printed now: whole or short, whichever stands more fully in the text."""
    lines = set(text.splitlines())
    forms = [(made, markdown.render(made)) for made in (report, shortened(report, runs))]
    return max(forms, key=lambda form: _share_of(lines, set(form[1].splitlines())))


def _share_of(text: set[str], printed: set[str]) -> float:
    return len(text & printed) / len(printed)


def _quotes(statement: Statement) -> Iterator[Sought]:
    piece = statement.piece
    if piece.kind == "quote" and statement.only is None:
        yield from _block_quote(statement, piece)
        return
    for token in statement.tokens:
        if token.kind is not ClaimKind.QUOTE or (statement.only is not None and token.start not in statement.only):
            continue
        if not token.text.startswith(_COMMANDS):
            tasks = (
                bound(token, statement.mentions(ClaimKind.ID), statement.text)
                or statement.tasks
                or statement.tasks_around
            )
            runs = {mention.text for mention in statement.mentions(ClaimKind.RUN)}
            spoken = len(runs) == 1 and _SPEAKS.search(statement.text)
            yield Sought(statement, token, frozenset(tasks), frozenset(runs if spoken else ()))


def _block_quote(statement: Statement, piece: MarkdownBlock) -> Iterator[Sought]:
    """The whole of a block quote; its last line, after a dash, says where it is from."""
    text = plain(piece.text)
    if text and not text.startswith(("—", "– ", "-- ")):
        token = Token(ClaimKind.QUOTE, text.strip('"“”'), 0, len(piece.text))
        yield Sought(statement, token, frozenset(statement.tasks_around))


def _quoted(quote: Sought, own_words: str, names: Names) -> Checked:
    statement, token = quote.said, quote.token
    if near := _near_run(statement, token, names):
        return statement.say(CheckOutcome.WRONG, token, near, note="no run has this name")
    if quote.found:
        return statement.say(CheckOutcome.RIGHT, token)
    if quote.elsewhere:
        is_known = quote.elsewhere in names.tasks or quote.elsewhere in names.runs
        note = (
            f"these words stand in a rollout of {quote.elsewhere}" if is_known else "these words stand in another task"
        )
        return statement.say(CheckOutcome.WRONG if quote.strict else CheckOutcome.UNVERIFIABLE, token, note=note)
    if " ".join(quote.parts) in own_words:
        return statement.say(CheckOutcome.RIGHT, token)
    if not quote.strict:
        return statement.say(CheckOutcome.UNVERIFIABLE, token, note="in no rollout, and no name of the runs")
    return statement.say(CheckOutcome.WRONG, token, quote.near or None, note="in no rollout that is meant")


def _near_run(statement: Statement, token: Token, names: Names) -> str | None:
    """The run that was meant by a misspelled name after the word "run"."""
    if not token.code or " " in token.text or not statement.text[: token.start].lower().rstrip().endswith("run"):
        return None
    return next(iter(get_close_matches(token.text, names.runs, 1, 0.7)), None)
