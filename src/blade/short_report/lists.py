"""Long lists of names and long quotes, cut to their beginning; how many names there are stays."""

from __future__ import annotations

import re
from dataclasses import replace

from blade.document import Block, Bullets, Fact, Paragraph, Quote, Sentence, Table

LONGEST = 8
"""A list of so many names is left as it is where it is the only one."""
OF_SEVERAL = 4
"""The same where a statement has a list for each of several runs."""
SEVERAL = 3
QUOTED_WORDS = 60
_ITEM = r"(?![\d,]+ more)[^\s,;:()“”|]+"
_LIST = re.compile(rf"(?<![^\s(“]){_ITEM}(?:, {_ITEM})+(?: and (?:(\d[\d,]{{0,20}}) more|{_ITEM}))?(?![^\s.,;:)”|])")
_QUOTED = re.compile(r"“[^”]*”")
_MORE = rf"(?: and (?:[\d,]+ more|{_ITEM}))"
_AFTER_A_COUNT = re.compile(rf"(?<=\d) \((?:{_ITEM}(?:, {_ITEM})*{_MORE}|[^\s()%=]*\d[^\s()%=]*)\)")
SEVERAL_COUNTS = 2
"""A claim with lists after so many counts is about several runs."""


def shorter(block: Block) -> Block:
    """The block with long lists and long quotes cut; what is proved as a fact stays as it is."""
    if isinstance(block, Paragraph):
        return _paragraph(block)
    if isinstance(block, Bullets):
        return Bullets(tuple(_paragraph(item) for item in block.items))
    if isinstance(block, Table):
        rows = tuple(tuple(cut(cell) if isinstance(cell, str) else cell for cell in row) for row in block.rows)
        return replace(block, rows=rows)
    if isinstance(block, Quote):
        return replace(block, text=cut_quote(block.text))
    return block


def _paragraph(paragraph: Paragraph) -> Paragraph:
    return Paragraph(tuple(_sentence(sentence) for sentence in paragraph.sentences))


def _sentence(sentence: Sentence) -> Sentence:
    return Sentence(tuple(_fact(part) if isinstance(part, Fact) else cut(part) for part in _joined(sentence)))


def _joined(sentence: Sentence) -> list[str | Fact]:
    """The parts of a sentence with texts that stand side by side as one: a quote or a list may reach over several."""
    parts: list[str | Fact] = []
    for part in sentence.parts:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _fact(part: Fact) -> Fact:
    return replace(part, text=cut_quote(part.text)) if part.kind == "quote" else part


def without_lists(paragraph: Paragraph) -> Paragraph:
    """A claim without the tasks that it lists in brackets after the count of each of several runs: the counts stay."""
    sentences = [_joined(sentence) for sentence in paragraph.sentences]
    texts = [part for parts in sentences for part in parts if isinstance(part, str)]
    if sum(len(_AFTER_A_COUNT.findall(text)) for text in texts) < SEVERAL_COUNTS:
        return paragraph
    return Paragraph(
        tuple(
            Sentence(tuple(part if isinstance(part, Fact) else _AFTER_A_COUNT.sub("", part) for part in parts))
            for parts in sentences
        )
    )


def cut(text: str) -> str:
    """A text with its long lists cut to their first names, and its quotes to their first words."""
    text = _QUOTED.sub(lambda match: f"“{cut_quote(match[0][1:-1])}”", text)
    quotes = [match.span() for match in _QUOTED.finditer(text)]
    lists = [match for match in _LIST.finditer(text) if not any(start < match.start() < end for start, end in quotes)]
    longest = LONGEST if sum(_length(match) > OF_SEVERAL for match in lists) < SEVERAL else OF_SEVERAL
    for match in reversed(lists):
        if _length(match) > longest:
            text = text[: match.start()] + _first(match, longest - 1) + text[match.end() :]
    return text


def cut_quote(text: str) -> str:
    words = text.split(" ")
    return text if len(words) <= QUOTED_WORDS else f"{' '.join(words[:QUOTED_WORDS]).rstrip('…')}…"


def _length(match: re.Match[str]) -> int:
    return match[0].count(", ") + 1


def _first(match: re.Match[str], limit: int) -> str:
    items = match[0].split(", ")
    counted_before = int(match[1].replace(",", "")) if match[1] else int(" and " in items[-1])
    end = "." if not match[1] and match[0].endswith(".") else ""
    return f"{', '.join(items[:limit])} and {len(items) - limit + counted_before:,} more{end}"
