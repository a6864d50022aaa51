"""The report that is read: the statements that weigh most, within a budget of words; the rest is counted.

Nothing is reworded. A section keeps its statements, rows and quotes by what they are worth, by how little of
them stood in the report before, and within its share of the words; long lists and quotes are cut to their beginning. A
line at the end of a section says what was left out and which command shows it. The whole report is what
`blade analyze --full`, the HTML page and `blade report` show.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Report, Section, Sentence, say
from blade.run_names import short_names
from blade.short_report.choose import choose
from blade.short_report.first_screen import claims_of, first_screen, rest_of
from blade.short_report.glossary_links import with_glossary
from blade.short_report.length import words_of
from blade.short_report.lists import shorter
from blade.short_report.pieces import ReportPiece, kept_blocks, pieces_of
from blade.short_report.shortened_names import explained, with_short_names
from blade.task_names import short_task_names
from blade.wording import count, listed

__all__ = ["first_screen", "shortened", "with_glossary"]

FEW_RUNS = 2
WORDS_OF_FEW, WORDS_OF_MANY = 3_000, 5_000
"""The most words of one or two runs, and of more."""
AROUND_OF_FEW, AROUND_OF_MANY = 300, 250
"""What stands around the statements: headings, what was left out, what terms mean; where that is
more, less is told."""
WORDS_OF_PICTURE = 50
"""What is left for the words of the first picture, be it drawn or not."""
TRIES = 3
LAST = ("artifact_inventory", "reproducibility_notes")
FIRST_PICTURE = "waterfall"
"""The picture of the first screen; the others stand in report.html. None of them is counted in the budget."""
LEFT_OUT = "What This Report Leaves Out"
SUMMARY = "executive_summary"
NOUNS = {"statement": "statement", "row": "row", "quote": "quote"}


def shortened(report: Report, runs: Sequence[str], tasks: Sequence[str] = ()) -> Report:
    """The report within its most words, with what was left out counted in each section and at the end."""
    most, around = (WORDS_OF_FEW, AROUND_OF_FEW) if len(runs) <= FEW_RUNS else (WORDS_OF_MANY, AROUND_OF_MANY)
    budget = most - around
    for _ in range(TRIES):
        short = _within(report, runs, tasks, budget)
        excess = words_of(short) + WORDS_OF_PICTURE - most
        if excess <= 0:
            break
        budget -= excess
    return short


def _within(report: Report, runs: Sequence[str], tasks: Sequence[str], budget: int) -> Report:
    """The report with statements of so many words."""
    ordered = [
        replace(section, blocks=tuple(_shorter_blocks(section, report)))
        for section in sorted(report.sections, key=lambda section: section.name in LAST)
    ]
    pieces = {section.name: pieces_of(section, runs) for section in ordered}
    few_runs = len(runs) <= FEW_RUNS
    unfolded = {name: _unfolded(name, section_pieces, few_runs=few_runs) for name, section_pieces in pieces.items()}
    linked = _linked_titles(ordered[0]) if ordered and few_runs else set()
    choose(unfolded, budget, {section.name for section in ordered[1:] if section.title in linked})
    sections, absent = list[Section](), list[Section]()
    names, task_names = short_names(runs), short_task_names(tasks)
    first_picture = [picture for picture in report.pictures() if picture.name == FIRST_PICTURE]
    for section in ordered:
        blocks = kept_blocks(section, pieces[section.name])
        if section is ordered[0]:
            blocks = (*blocks, *first_picture)
        if blocks:
            short_section = replace(section, blocks=(*blocks, *_remainder(section, pieces[section.name])))
            sections.append(with_short_names(short_section, names, task_names))
        else:
            absent.append(section)
    titles = {section.title for section in sections}
    titles |= {block.text for section in sections for block in section.blocks if isinstance(block, Heading)}
    sections[:1] = [explained(_with_links_to(section, titles), names) for section in sections[:1]]
    return with_glossary(replace(report, sections=(*sections, *_absent(absent, bool(sections), task_names))))


def _linked_titles(summary: Section) -> set[str]:
    """The titles of what the claims of the first screen rest on; of many runs the page shows what has no room."""
    claims = [item for block in summary.blocks if isinstance(block, Bullets) for item in block.items]
    parts = [part for claim in claims for sentence in claim.sentences for part in sentence.parts]
    return {part.text for part in parts if isinstance(part, Fact) and part.kind == "section"}


def _with_links_to(summary: Section, titles: Container[str]) -> Section:
    """The summary with the evidence that is not shown here named as what the page shows."""

    def part(item: str | Fact) -> str | Fact:
        if isinstance(item, Fact) and item.kind == "section" and item.text not in titles:
            return Fact(f"{item.text} in report.html", "page")
        return item

    def paragraph(block: Paragraph) -> Paragraph:
        return Paragraph(tuple(Sentence(tuple(map(part, sentence.parts))) for sentence in block.sentences))

    blocks = (
        Bullets(tuple(map(paragraph, block.items))) if isinstance(block, Bullets) else block for block in summary.blocks
    )
    return replace(summary, blocks=tuple(blocks))


def _unfolded(name: str, pieces: Sequence[ReportPiece], *, few_runs: bool) -> Sequence[ReportPiece]:
    """What may be shown: of many runs not the prose of the summary, which only describes each."""
    return pieces if few_runs or name != SUMMARY else [piece for piece in pieces if piece.heading is None]


def _shorter_blocks(section: Section, report: Report) -> list[Block]:
    if section is report.sections[0]:
        return [*claims_of(section), *rest_of(section)]
    return [shorter(block) for block in section.blocks]


def _remainder(section: Section, pieces: Sequence[ReportPiece]) -> list[Block]:
    """The line that counts what a section has beside what is shown."""
    left = [piece for piece in pieces if not piece.kept]
    counts = [
        count(number, noun)
        for kind, noun in NOUNS.items()
        if (number := sum(piece.amount for piece in left if piece.kind == kind))
    ]
    if not counts:
        return []
    option = Fact(f"--section {section.name}", "id")
    return [Paragraph((say("Left out: {counts} ({option}).", counts=listed(counts), option=option),))]


def _absent(sections: Sequence[Section], is_shown: bool, task_names: Mapping[str, str]) -> list[Section]:
    """The last section: those that are not shown at all, and the way to everything."""
    if not is_shown:
        return []
    names = [section.name for section in sections]
    sentences = [say("Sections not shown: {names}.", names=listed(names))] if names else []
    sentences.append(
        say(
            "{one} shows one section (RUN... stands for the analyzed paths). Nothing is lost: report.html, "
            "analysis.json and {all} have everything.",
            one=Fact("blade report RUN... --section NAME --full", "id"),
            all=Fact("blade analyze RUN... --full", "id"),
        )
    )
    for task, name in sorted(task_names.items())[:1]:
        sentences.append(
            say(
                "Ids of tasks are cut to their beginning ({name} is {task}); commands know both.",
                name=Fact(name, "id"),
                task=Fact(task, "id"),
            )
        )
    return [Section("left_out", LEFT_OUT, (Paragraph(tuple(sentences)),))]
