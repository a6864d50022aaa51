"""Long names of runs and tasks, cut to what tells them apart; the table of runs says what each stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Quote, Section, Sentence, Table
from blade.task_names import RANDOM_ID

_QUOTED = re.compile(r"(“[^”]*”)")
COMMAND = "blade "
FULL_NAME = "Full name"


def with_short_names(section: Section, names: Mapping[str, str], task_names: Mapping[str, str]) -> Section:
    """The section with short names in its texts; quotes, paths and commands keep what they say."""
    if not names and not task_names:
        return section
    longest_first = sorted(names, key=len, reverse=True)
    patterns = [(f"(?:{'|'.join(map(re.escape, longest_first))})", names)] if names else []
    patterns += [(f"(?:{RANDOM_ID.pattern})", task_names)] if task_names else []
    replacements = [
        (re.compile(rf"(?<![\w/=.-]){form}(?![\w/-]|\.\w)"), partial(_short_name, short)) for form, short in patterns
    ]

    def shorten(text: str) -> str:
        pieces = _QUOTED.split(text)
        for pattern, replacement in replacements:
            pieces[::2] = [pattern.sub(replacement, piece) for piece in pieces[::2]]
        return "".join(pieces)

    blocks = tuple(_block(block, shorten) for block in section.blocks)
    return replace(section, blocks=blocks)


def explained(section: Section, names: Mapping[str, str]) -> Section:
    """The section with what each short name stands for in its table of runs."""
    table = next((block for block in section.blocks if isinstance(block, Table)), None)
    if not names or table is None:
        return section
    full = {short: run for run, short in names.items()}
    rows = tuple((*row, full.get(_text(row[0]), "")) for row in table.rows)
    wider = Table((*table.columns, FULL_NAME), rows, table.caption)
    return replace(section, blocks=tuple(wider if block is table else block for block in section.blocks))


def _short_name(names: Mapping[str, str], match: re.Match[str]) -> str:
    return names.get(match[0], match[0])


def _text(cell: str | Fact) -> str:
    return cell if isinstance(cell, str) else cell.text


def _block(block: Block, shorten: Callable[[str], str]) -> Block:
    if isinstance(block, Paragraph):
        return _paragraph(block, shorten)
    if isinstance(block, Bullets):
        return Bullets(tuple(_paragraph(item, shorten) for item in block.items))
    if isinstance(block, Table):
        rows = tuple(tuple(_part(cell, shorten) for cell in row) for row in block.rows)
        return Table(tuple(map(shorten, block.columns)), rows, shorten(block.caption))
    if isinstance(block, Heading):
        return Heading(shorten(block.text))
    if isinstance(block, Quote):
        return replace(block, source=shorten(block.source))
    return replace(block, alt=shorten(block.alt))


def _paragraph(paragraph: Paragraph, shorten: Callable[[str], str]) -> Paragraph:
    return Paragraph(
        tuple(Sentence(tuple(_part(part, shorten) for part in sentence.parts)) for sentence in paragraph.sentences)
    )


def _part(part: str | Fact, shorten: Callable[[str], str]) -> str | Fact:
    if isinstance(part, str):
        return shorten(part)
    if part.kind == "quote" or part.text.startswith(COMMAND):
        return part
    return replace(part, text=shorten(part.text))
