"""The terms of a report in Markdown: each leads to the glossary at its end, which holds those that were used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Report, Section, Sentence, Table, say
from blade.pages.glossary import COMMON, TERMS

TITLE = "Glossary"
NAME = "glossary"
TERM = "term"
EVERYDAY = COMMON - {"judged"}
"""Words that whoever evaluates models knows: docs/glossary.md holds them, a report need not."""
_QUOTED = re.compile(r"(“[^”]*”)")


def _pattern(term: str) -> re.Pattern[str]:
    words = re.escape(term)
    if term.endswith("k") and len(term) == len("pass@k"):
        words = rf"{re.escape(term[:-1])}(?:k|\d+)"
    return re.compile(rf"(?<![\w@^-]){words}s?(?![\w@^-])", re.IGNORECASE)


_PATTERNS = {term: _pattern(term) for term in TERMS}


def with_glossary(report: Report) -> Report:
    """The report with the first use of every rarer term marked, and the meanings at its end."""
    if not report.sections or any(section.name == NAME for section in report.sections):
        return report
    texts = [text for section in report.sections for block in section.blocks for text in _texts(block)]
    used = [term for term in TERMS if term not in EVERYDAY and any(_PATTERNS[term].search(text) for text in texts)]
    if not used:
        return report
    unmarked = {term: _PATTERNS[term] for term in used if term not in COMMON}
    sections = [
        replace(section, blocks=tuple(_marked_block(block, unmarked) for block in section.blocks))
        for section in report.sections
    ]
    meanings = Bullets(tuple(Paragraph((say(f"{term}: {TERMS[term]}."),)) for term in used))
    return replace(report, sections=(*sections, Section(NAME, TITLE, (meanings,))))


def _texts(block: Block) -> Iterator[str]:
    """What is said in words of the report's own: quotes and pictures are not looked at."""
    if isinstance(block, Paragraph):
        yield from (sentence.text for sentence in block.sentences)
    elif isinstance(block, Bullets):
        yield from (sentence.text for item in block.items for sentence in item.sentences)
    elif isinstance(block, Table):
        yield from (*block.columns, block.caption)
    elif isinstance(block, Heading):
        yield block.text


def _marked_block(block: Block, unmarked: dict[str, re.Pattern[str]]) -> Block:
    if isinstance(block, Paragraph):
        return _marked(block, unmarked)
    if isinstance(block, Bullets):
        return Bullets(tuple(_marked(item, unmarked) for item in block.items))
    return block


def _marked(paragraph: Paragraph, unmarked: dict[str, re.Pattern[str]]) -> Paragraph:
    return Paragraph(
        tuple(
            Sentence(tuple(piece for part in sentence.parts for piece in _pieces(part, unmarked)))
            for sentence in paragraph.sentences
        )
    )


def _pieces(part: str | Fact, unmarked: dict[str, re.Pattern[str]]) -> Iterator[str | Fact]:
    """A stretch of text cut at the terms that were not used before; each is marked once, those of quotes never."""
    if isinstance(part, Fact) or not unmarked:
        yield part
        return
    for at, stretch in enumerate(_QUOTED.split(part)):
        rest = stretch
        while not at % 2 and rest:
            matches = [(match.start(), -len(match[0]), term, match) for term, pattern in unmarked.items()
                       if (match := pattern.search(rest))]  # fmt: skip
            if not matches:
                break
            start, _, term, match = min(matches, key=lambda found: found[:3])
            del unmarked[term]
            if rest[:start]:
                yield rest[:start]
            yield Fact(match[0], TERM)
            rest = rest[match.end() :]
        if rest:
            yield rest
