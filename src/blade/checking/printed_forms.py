"""The report as it would be printed now, whole and short: a text may hold parts of both.

Somebody who pastes a section of the whole report into the short one leaves nothing to guess: each piece is held against
the form that it stands in.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

from blade.checking.align import align, pasted
from blade.checking.markdown_blocks import MarkdownBlock, markdown_blocks
from blade.checking.proofs import proofs
from blade.checking.tokens import plain
from blade.document import Fact, Report
from blade.renderers import markdown
from blade.short_report import shortened, with_glossary


@dataclass(frozen=True)
class Counterpart:
    """A piece of the report made anew, and the facts behind it."""

    block: MarkdownBlock
    facts: tuple[Fact, ...]


class PrintedForm:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.text = markdown.render(report)
        self.blocks = markdown_blocks(self.text)

    @cached_property
    def facts(self) -> list[tuple[Fact, ...]]:
        return proofs(self.report, self.blocks)

    def share_in(self, lines: set[str]) -> float:
        """How much of the form stands in a text."""
        own_lines = set(self.text.splitlines())
        return len(lines & own_lines) / len(own_lines)


class PrintedForms:
    """Both forms, the one that stands more fully in the text first."""

    def __init__(self, text: str, report: Report, runs: Sequence[str], tasks: Sequence[str] = ()) -> None:
        self.runs = runs
        lines = set(text.splitlines())
        forms = [PrintedForm(with_glossary(report)), PrintedForm(shortened(report, runs, tasks))]
        self.forms = sorted(forms, key=lambda form: -form.share_in(lines))

    @property
    def text(self) -> str:
        return "\n".join(form.text for form in self.forms)

    @property
    def blocks(self) -> list[MarkdownBlock]:
        return [block for form in self.forms for block in form.blocks]

    def counterparts(self, blocks: Sequence[MarkdownBlock]) -> dict[int, Counterpart]:
        """Place → its counterpart: the same piece in either form before one that is only alike."""
        same: dict[int, Counterpart] = {}
        alike: dict[int, Counterpart] = {}
        for form in self.forms:
            if len(same) == len(blocks):
                break
            for place, printed_place in align(blocks, form.blocks, self.runs).items():
                printed = form.blocks[printed_place]
                counterparts = same if _is_same(blocks[place], printed) else alike
                counterparts.setdefault(place, Counterpart(printed, form.facts[printed_place]))
        return self._repeated(blocks, alike | same) | alike | same

    def _repeated(self, blocks: Sequence[MarkdownBlock], counterparts: Container[int]) -> dict[int, Counterpart]:
        """What stands in a text a second time, word for word: a table that was pasted beside the one of the report."""
        repeated: dict[int, Counterpart] = {}
        for form in self.forms:
            places = [place for place in range(len(blocks)) if place not in counterparts and place not in repeated]
            for place, printed_place in pasted(places, blocks, form.blocks):
                printed = form.blocks[printed_place]
                if _is_same(blocks[place], printed):
                    repeated[place] = Counterpart(printed, form.facts[printed_place])
        return repeated


def _is_same(block: MarkdownBlock, printed: MarkdownBlock) -> bool:
    return (block.kind, block.columns, plain(block.text)) == (printed.kind, printed.columns, plain(printed.text))
