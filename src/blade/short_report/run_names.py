"""Long names of runs, cut to the parts that tell them apart; the table of runs says what each stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from blade.document import Block, Bullets, Fact, Heading, Paragraph, Quote, Section, Sentence, Table

LONG = 16
"""Names of at most so many characters are printed as they are."""
SEPARATORS = ("__", "/", ",", " ", "_", "-")
"""What joins the parts of a name, the strongest first: a name is cut at the first that all names have."""
WEAK = ("_", "-")
"""These also stand inside dates, versions and values: between digits, and in `key=value`, they join nothing."""
_QUOTED = re.compile(r"(“[^”]*”)")
_DIGITS = re.compile(r"[\d.:TZ_+-]+")
_DATE = re.compile(r"\d{4}[-_]\d\d[-_]\d\d")
COMMAND = "blade "
FULL_NAME = "Full name"


def short_names(runs: Sequence[str]) -> dict[str, str]:
    """Run → its short name, for runs whose names are long; none where they cannot be told apart by parts of them."""
    if len(runs) < 2 or max(map(len, runs)) <= LONG:
        return {}
    for separator in SEPARATORS:
        parts = {run: _parts(run, separator) for run in runs}
        if all(len(name_parts) > 1 for name_parts in parts.values()):
            names = {run: separator.join(_distinct(run, parts)) if len(run) > LONG else run for run in runs}
            if len(set(names.values())) == len(runs):
                return {run: short for run, short in names.items() if len(short) < len(run)}
    return {}


def _parts(run: str, separator: str) -> list[str]:
    """A name cut into whole parts: no date, version or value is cut inside."""
    if separator not in WEAK:
        return run.split(separator)
    return [run] if "=" in run else re.split(rf"(?<!\d){separator}|{separator}(?!\d)", run)


def _distinct(run: str, parts: Mapping[str, list[str]]) -> list[str]:
    """The first part that says what differs and is no number, with as few others as single the run out."""
    own_parts, other_parts = parts[run], [names for other_run, names in parts.items() if other_run != run]
    common = set.intersection(*(set(names) for names in parts.values()))
    varying = [part for part in own_parts if part not in common]
    words = [part for part in varying if not _DIGITS.fullmatch(part)]
    first = (words or varying or own_parts)[0]
    further = [part for part in varying if part != first]
    for size in range(len(further) + 1):
        for added in combinations(further, size):
            parts_shown = {first, *added}
            if not any(parts_shown <= set(names) for names in other_parts):
                return _with_a_word(own_parts, [place for place, part in enumerate(own_parts) if part in parts_shown])
    return own_parts


def _with_a_word(name_parts: Sequence[str], places: Sequence[int]) -> list[str]:
    """The parts at these places; a number alone, but for a date, has the part before it, which says what it counts."""
    shown = [name_parts[place] for place in places]
    if places[0] and all(_DIGITS.fullmatch(part) and not _DATE.match(part) for part in shown):
        places = [places[0] - 1, *places]
    return [name_parts[place] for place in places]


def with_short_names(section: Section, names: Mapping[str, str]) -> Section:
    """The section with short names in its texts; quotes, paths and commands keep what they say."""
    if not names:
        return section
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/=.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w/-]|\.\w)")

    def shorten(text: str) -> str:
        pieces = _QUOTED.split(text)
        pieces[::2] = [pattern.sub(lambda match: names[match[0]], piece) for piece in pieces[::2]]
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
