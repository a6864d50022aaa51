"""Markdown: report.md, and the form for pull-request comments."""

from __future__ import annotations

import re

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Picture, Quote, Report, Section, Sentence, Table
from blade.wording import printable

EXTENSION = "md"
_SPECIAL = re.compile(r"([\\`*\[\]<>#|~])|(?<!\w)_|_(?!\w)")


def render(report: Report) -> str:
    """The whole report as Markdown text, ending in a newline."""
    parts = [f"# {escape(report.title)}", paragraph(report.notice) if report.notice else ""]
    return "\n\n".join(part for part in (*parts, *map(section, report.sections)) if part) + "\n"


def section(one_section: Section) -> str:
    """One section with its title."""
    parts = (f"## {escape(one_section.title)}", *map(_block, one_section.blocks))
    return "\n\n".join(part for part in parts if part)


def escape(text: str) -> str:
    """Plain text that Markdown prints as it stands; control characters are taken out."""
    return _SPECIAL.sub(lambda match: "\\" + match.group(0), printable(text))


def code(text: str) -> str:
    """A code span, whatever back-ticks the text holds."""
    flat = printable(text)
    if not flat:
        return "(empty)"
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return paragraph(block)
    if isinstance(block, Bullets):
        return "\n".join(f"- {paragraph(item)}" for item in block.items)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Heading):
        return f"### {escape(block.text)}"
    if isinstance(block, Picture):
        return f"![{escape(block.alt)}](assets/{block.name}.svg)"
    return _quote(block)


def paragraph(block: Paragraph) -> str:
    return " ".join(_sentence(sentence) for sentence in block.sentences)


def _sentence(sentence: Sentence) -> str:
    return "".join(_piece(part) for part in sentence.parts)


def _piece(part: str | Fact) -> str:
    if isinstance(part, str):
        # a template's own leading or trailing blank joins it to its neighbours
        left = " " if part[:1].isspace() else ""
        right = " " if len(part) > 1 and part[-1:].isspace() else ""
        return f"{left}{escape(part)}{right}"
    if part.kind == "section":
        return f"[{escape(part.text)}](#{anchor(part.text)})"
    if part.kind == "term":
        return f"[{escape(part.text)}](#glossary)"
    return code(part.text) if part.kind == "id" else escape(part.text)


def anchor(title: str) -> str:
    """The place of a heading, as programs that show Markdown name it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _cell(cell: str | Fact) -> str:
    text = escape(cell) if isinstance(cell, str) else _piece(cell)
    if isinstance(cell, Fact) and cell.kind == "id":
        return text.replace("|", "\\|")
    return text


def _table(table: Table) -> str:
    titles = [title.lstrip(">") for title in table.columns]
    rules = ["---:" if title.startswith(">") else "---" for title in table.columns]
    lines = [_row([escape(title) for title in titles]), f"|{'|'.join(rules)}|"]
    lines.extend(_row([_cell(cell) for cell in row]) for row in table.rows)
    caption = [escape(table.caption), ""] if table.caption else []
    return "\n".join([*caption, *lines])


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _quote(quote: Quote) -> str:
    return f"> {escape(quote.text)}\n>\n> — {escape(quote.source)}"
