"""How many words a report has when it is printed as Markdown, the marks of lists and tables counted as words."""

from __future__ import annotations

from blade.document import Block, Bullets, Heading, Paragraph, Picture, Quote, Report, Table


def words_of(report: Report) -> int:
    """The words that `wc -w` counts in report.md, within a few: escapes and links join or part none.

    Pictures are not counted, as a report is chosen alike whether they are drawn or not.
    """
    sections = sum(1 + _words(section.title) + sum(map(_of_block, section.blocks)) for section in report.sections)
    return 1 + _words(report.title) + (_of_block(report.notice) if report.notice else 0) + sections


def _of_block(block: Block) -> int:
    if isinstance(block, Paragraph):
        return sum(_words(sentence.text) for sentence in block.sentences)
    if isinstance(block, Bullets):
        return sum(1 + _of_block(item) for item in block.items)
    if isinstance(block, Table):
        marks = len(block.columns) + 1
        cells = [cell if isinstance(cell, str) else cell.text for row in block.rows for cell in row]
        texts = (block.caption, *(column.lstrip(">") for column in block.columns), *cells)
        return marks * (len(block.rows) + 1) + 1 + sum(map(_words, texts))
    if isinstance(block, Heading):
        return 1 + _words(block.text)
    if isinstance(block, Picture):
        return 0
    return _of_quote(block)


def _of_quote(quote: Quote) -> int:
    return 4 + _words(quote.text) + _words(quote.source)


def _words(text: str) -> int:
    return len(text.split())
