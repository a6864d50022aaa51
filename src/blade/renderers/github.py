"""GitHub: a short comment for a pull request, or the summary of a step."""

from __future__ import annotations

import html
import re

from blade.document import Block, Bullets, Fact, Paragraph, Quote, Report, Table
from blade.wording import count, printable, short_name

EXTENSION = "md"
FILE = "comment.md"
MOST_ROWS = 12
SUMMARY = "executive_summary"
FOLDED = "The evidence behind these claims, and what to change"
LONGEST = 20_000
"""GitHub takes 65,536 characters, people far fewer."""
_SPECIAL = re.compile(r"([\\`*\[\]|~_])")
_LIVE = re.compile(r"(@|#|:(?=//)|\bwww(?=\.)|\bGH(?=-))", re.IGNORECASE)
_BREAK = "&#8203;"


def render(report: Report) -> str:
    """The paragraphs of the report; its tables are folded but for the first, and what is too long is left out.

    Of a report that begins with its claims these are the comment, and all else is folded once more.
    """
    parts = [f"### {_text(report.title)}", _paragraph(report.notice) if report.notice else ""]
    shown_tables = 0
    claims_end = 0
    for section in report.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                parts.append(_table(block) if not shown_tables else _folded(block))
                shown_tables += 1
            else:
                parts.append(_block(block))
            if isinstance(block, Bullets) and section.name == SUMMARY and not claims_end:
                claims_end = len(parts)
    claims = [part for part in parts[:claims_end] if part]
    rest = [part for part in parts[claims_end:] if part]
    if not claims or not rest:
        return _short([*claims, *rest])
    return f"{_short(claims)}\n<details><summary>{FOLDED}</summary>\n\n{_short(rest)}\n</details>\n"


def _short(parts: list[str]) -> str:
    """As many parts as a comment has room for; what is left out is counted."""
    taken, size = [], 0
    for part in parts:
        if size + len(part) > LONGEST:
            break
        taken.append(part)
        size += len(part)
    left = len(parts) - len(taken)
    more = [f"{count(left, 'more part')}: `blade analyze` writes the whole report."] if left else []
    return "\n\n".join([*taken, *more]) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _paragraph(block)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_paragraph(item)}" for item in block.items)
    return f"> {_text(block.text)}" if isinstance(block, Quote) else ""


def _paragraph(block: Paragraph) -> str:
    pieces = (part for sentence in block.sentences for part in (*sentence.parts, " "))
    return "".join(map(_piece, pieces)).strip()


def _piece(part: str | Fact) -> str:
    if isinstance(part, Fact):
        return _code(part.text) if part.kind == "id" else _text(part.text)
    left, right = " " * part[:1].isspace(), " " * (len(part) > 1 and part[-1:].isspace())
    return f"{left}{_text(part)}{right}"


def _text(text: str) -> str:
    """Text without markup, mentions, references or links: foreign words in it notify nobody and lead nowhere."""
    flat = html.escape(printable(text), quote=False)
    return _LIVE.sub(lambda found: f"{found[0]}{_BREAK}", _SPECIAL.sub(r"\\\1", flat))


def _code(text: str) -> str:
    """A name as code, in which GitHub follows nothing."""
    flat = short_name(text)
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence, pad = "`" * (longest + 1), " " * ("`" in flat)
    return f"{fence}{pad}{flat}{pad}{fence}" if flat else "(empty)"


def _table(table: Table) -> str:
    rules = ["---:" if title.startswith(">") else "---" for title in table.columns]
    lines = [[_text(short_name(title.lstrip(">"))) for title in table.columns], rules]
    lines += [[_cell(cell) for cell in row] for row in table.rows[:MOST_ROWS]]
    left = len(table.rows) - MOST_ROWS
    more = ["", count(left, "more row")] if left > 0 else []
    return "\n".join([*("| " + " | ".join(line) + " |" for line in lines), *more])


def _cell(cell: str | Fact) -> str:
    if isinstance(cell, Fact) and cell.kind == "id":
        return _code(cell.text).replace("|", "\\|")
    return _text(short_name(cell if isinstance(cell, str) else cell.text))


def _folded(table: Table) -> str:
    columns = ", ".join(title.lstrip(">") for title in table.columns if title)
    title = table.caption or f"{count(len(table.rows), 'row')}: {columns}"
    summary = _LIVE.sub(lambda found: f"{found[0]}{_BREAK}", html.escape(short_name(title)))
    return f"<details><summary>{summary}</summary>\n\n{_table(table)}\n\n</details>"
