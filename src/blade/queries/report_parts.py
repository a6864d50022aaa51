"""Sections of the report, one at a time and no longer than a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from blade.errors import UsageError
from blade.index.tables import Index
from blade.queries.page import TOKENS, fitting, table, tokens_of
from blade.wording import count

OF_A_PAIR = ("score_change", "investigation", "cross_model_comparison")
"""What a reader of one pair wants first: what moved, what separates, and which tasks."""


def choose(index: Index, names: Sequence[str], *, pair: bool = False) -> list[Mapping[str, str]]:
    """The sections that are asked for, by name or title; of a pair those that speak of it; else the first."""
    sections: list[Mapping[str, str]] = list(index.facts["report"])
    if not names:
        return [section for section in sections if section["name"] in OF_A_PAIR] if pair else sections[:1]
    by_name = {_plain(part["title"]): part for section in sections for part in _headings(section)}
    by_name |= {_plain(section[key]): section for section in sections for key in ("title", "name")}
    unknown = next((name for name in names if _plain(name) not in by_name), None)
    if unknown is not None:
        hint = f"There are: {', '.join(section['name'] for section in sections)}."
        raise UsageError(f"This report has no section '{unknown}'.", hint)
    return [by_name[_plain(name)] for name in names]


def contents(index: Index) -> Iterator[str]:
    """The sections of the report and about how many tokens each has; of long ones their headings, too."""
    rows = []
    for section in index.facts["report"]:
        rows.append((section["name"], f"{tokens_of(section['text']):,}"))
        if tokens_of(section["text"]) > TOKENS:
            rows += [(f"  {part['title']}", f"{tokens_of(part['text']):,}") for part in _headings(section)]
    yield from table(["section", "tokens"], rows)


def _headings(section: Mapping[str, str]) -> list[Mapping[str, str]]:
    """The parts of a section below its headings."""
    parts: list[Mapping[str, str]] = []
    for text in section["text"].split("\n### ")[1:]:
        title = text.partition("\n")[0].replace("\\", "")
        parts.append({"name": title, "title": title, "text": f"### {text}"})
    return parts


def shortened(sections: Sequence[Mapping[str, str]], tokens: int) -> Iterator[str]:
    """The text of some sections; each has its share of the budget, and what is left out is told with the way to it."""
    room = tokens // max(len(sections), 1)
    for section in sections:
        lines, left = fitting(section["text"].splitlines(), room)
        yield "\n".join(lines).rstrip()
        if left:
            whole = tokens_of(section["text"]) + len(section["text"].splitlines())
            name = section["name"] if " " not in section["name"] else f'"{section["name"]}"'
            yield f"[{count(left, 'line')} left out: --section {name} --tokens {whole} shows all]"
        yield ""


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
