"""A Markdown report as pieces that can be held against others: headings, sentences, table rows, quotes.

Both the printed report and the one that is made anew go through here, so that they are cut alike. Hard-wrapped
paragraphs are joined; every piece knows the line of each of its characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from blade.frozen import frozen

LONGEST = 4_000
"""A longer sentence is cut: nobody's sentence is longer, and no line may be too long to be checked."""

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?$")
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"(```+|~~~+)")
_END = re.compile(
    r"(?<=[.!?])(?<!\bi\.e\.)(?<!\be\.g\.)(?<!\bvs\.)[)\"”*_]{0,4}\s+(?!\[q:)(?=[A-Z0-9`\"“(+−<>\[*_])"
    r"|(?<=[)%\]]\.)\s+(?!\[q:)(?=[a-z])|(?<=[.!?](?:\*\*|__))\s+(?!\[q:)"
)
"""A full stop ends a sentence also inside bold print: a lead-in says something of its own. Behind a bracket, a rate or
a lead-in it ends no abbreviation: the name of a run may follow in small letters."""
_QUOTED = re.compile(r"“[^“”]{1,1000}”|(?<![^\s(])\"[^\"]{1,1000}\"(?![^\s.,;:)!?])")
"""Sentences inside a quote are part of the sentence that quotes them."""
_PICTURE = re.compile(r"!\[.*\]\(assets/[\w-]+\.svg\)$")
_CELLS = re.compile(r"(?<!\\)\|")


@frozen
class MarkdownBlock:
    """One thing a report says, and where it stands."""

    kind: str  # heading, header, row, sentence, quote
    text: str
    line: int
    section: str
    below: str
    """The heading inside the section."""
    block: int
    """Sentences of one paragraph share it."""
    columns: tuple[str, ...] = ()
    breaks: tuple[int, ...] = ()
    """Where in the text its second, third … line begins."""

    def line_at(self, place: int) -> int:
        return self.line + bisect_right(self.breaks, place)

    @property
    def cells(self) -> tuple[str, ...]:
        return cells_of(self.text)


def cells_of(line: str) -> tuple[str, ...]:
    inner = line.strip()
    inner = inner.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip() for cell in _CELLS.split(inner))


def markdown_blocks(text: str) -> list[MarkdownBlock]:
    """Every piece of a Markdown text in order; what stands between code fences is left out."""
    return _Cutter().cut(text.splitlines())


class _Cutter:
    def __init__(self) -> None:
        self.made: list[MarkdownBlock] = []
        self.section = self.below = ""
        self.block = 0
        self.columns: tuple[str, ...] = ()
        self.waiting: list[tuple[int, str]] = []
        self.quoting = False

    def cut(self, lines: Sequence[str]) -> list[MarkdownBlock]:
        fence = ""
        for number, raw in enumerate(lines, start=1):
            line = raw.strip()
            mark = _FENCE.match(line)
            if fence or mark:
                self._flush()
                if mark:
                    fence = "" if fence and line.startswith(fence) else fence or mark[1]
                continue
            self._take(number, line, lines[number].strip() if number < len(lines) else "")
        self._flush()
        return self.made

    def _take(self, number: int, line: str, following: str) -> None:
        if _PICTURE.match(line):  # a picture makes no claim: its words only describe it
            self._flush()
            return
        if line.startswith("|") or (self.columns and "|" in line):
            self._flush()
            self._row(number, line, following)
            return
        self.columns = ()
        heading = _HEADING.match(line) if len(line) <= LONGEST else None
        if heading:
            self._flush()
            self._heading(number, len(heading[1]), heading[2])
        elif line.startswith(">"):
            if not self.quoting:
                self._flush()
            self.quoting = True
            self._quoted(number, line.lstrip("> "))
        elif not line:
            self._flush()
        else:
            item = _ITEM.match(line)
            if item or self.quoting:
                self._flush()
            self.waiting.append((number, line[item.end() :] if item else line))

    def _quoted(self, number: int, line: str) -> None:
        if line:
            self.waiting.append((number, line))
        else:
            self._flush()
            self.quoting = True

    def _heading(self, number: int, level: int, title: str) -> None:
        if level <= 2:
            self.section, self.below = (title if level == 2 else ""), ""
        else:
            self.below = title
        self.block += 1
        self.made.append(MarkdownBlock("heading", title, number, self.section, self.below, self.block))

    def _row(self, number: int, line: str, following: str) -> None:
        if len(line) > LONGEST * 10:
            self._sentences("sentence", [(number, line)])
        elif _RULE.match(line):
            return
        elif _RULE.match(following) or not self.columns:
            self.block += 1
            self.columns = cells_of(line)
            self.made.append(MarkdownBlock("header", line, number, self.section, self.below, self.block))
        else:
            place = (self.section, self.below, self.block, self.columns)
            self.made.append(MarkdownBlock("row", line, number, *place))

    def _flush(self) -> None:
        if self.waiting:
            self._sentences("quote" if self.quoting else "sentence", self.waiting)
            self.waiting = []
        self.quoting = False

    def _sentences(self, kind: str, lines: list[tuple[int, str]]) -> None:
        self.block += 1
        breaks, size = [], 0
        for _, line in lines[:-1]:
            size += len(line) + 1
            breaks.append(size)
        text = " ".join(line for _, line in lines)
        spans = [(0, len(text))] if kind == "quote" and len(text) <= LONGEST else _spans(text)
        for start, end in spans:
            here = lines[0][0] + bisect_right(breaks, start)
            breaks_inside = tuple(place - start for place in breaks if start < place < end)
            self.made.append(
                MarkdownBlock(kind, text[start:end], here, self.section, self.below, self.block, breaks=breaks_inside),
            )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end; a sentence without an end is cut at a blank."""
    start = 0
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    for match in _END.finditer(text):
        if any(first < match.start() and match.end() < last for first, last in quoted):
            continue
        yield from _cut_long(text, start, match.end() - len(match[0].lstrip(')"”*_')))
        start = match.end()
    if start < len(text):
        yield from _cut_long(text, start, len(text))


def _cut_long(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        blank = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        stop = blank if blank > 0 else start + LONGEST
        yield start, stop
        start = stop + (1 if blank > 0 else 0)
    if start < end:
        yield start, end
