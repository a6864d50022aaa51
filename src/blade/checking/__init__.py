"""Holds a printed report against the runs: every number, id, name of a run and quote in it.

The runs are analysed anew and the report is worded anew. What the printed report says in BLADE's own words is compared
with that; what somebody added or rewrote is checked as far as it can be bound to a run, a task or a measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from blade.checking.citations import CitedCounts, ids
from blade.checking.compare import BlockPair, columns_of, compare
from blade.checking.free_text import FreeTextCheck
from blade.checking.markdown_blocks import markdown_blocks
from blade.checking.measures import Compared, Values
from blade.checking.names import names_of
from blade.checking.outcome import Checked, CheckOutcome, ClaimKind, ReportCheck
from blade.checking.printed_forms import PrintedForms
from blade.checking.quoted_words import judged, quotes_of
from blade.checking.quotes import Sought, find_quotes, folded
from blade.checking.redaction import Redaction
from blade.checking.statements import statements
from blade.checking.tokens import plain
from blade.counting.run import Run
from blade.document import Report
from blade.model import Analysis

__all__ = ["CheckOutcome", "Checked", "CitedCounts", "ClaimKind", "ReportCheck", "check_text", "ids"]


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
    forms = PrintedForms(text, report, [run.name for run in analysis.runs], [task.task for task in analysis.tasks])
    counterparts = forms.counterparts(report_blocks)
    prose = FreeTextCheck(Values(analysis, compared), names, cited, forms.blocks)
    redaction = Redaction(runs)
    checks: list[Checked] = []
    sought: list[Sought] = []
    for place, (piece, block_statements) in enumerate(
        zip(report_blocks, statements(report_blocks, names), strict=True)
    ):
        loose_statements = block_statements
        counterpart = counterparts.get(place)
        if counterpart and piece.kind != "header":  # a header makes no claim: its names are looked up below
            printed_block = counterpart.block
            blurred = (
                redaction.blurs(piece) if piece.kind == "row" and piece.text != printed_block.text else frozenset()
            )
            checked, loose = compare(BlockPair(piece, printed_block, counterpart.facts, names, blurred))
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
            sought += quotes_of(statement)
    find_quotes(sought, runs)
    own_words = folded(plain(forms.text))
    checks += [judged(quote, own_words, names) for quote in sought]
    return ReportCheck(tuple(sorted(checks, key=lambda check: check.line)))
